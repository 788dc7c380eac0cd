import type { UseQueryResult } from '@tanstack/react-query'
import { NotLoaded } from './ErrorAlert'
import { Loading } from './Loading'

/** Stands where something is shown that is not there yet: it loads, or could not be read. */
export const Awaited = ({ read: { error, refetch } }: { read: Pick<UseQueryResult, 'error' | 'refetch'> }) =>
  error ? <NotLoaded error={error} onRetry={() => void refetch()} /> : <Loading />
