import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client'
import { keyOf } from '../api/queries'
import type { components } from '../api/schema'

type SegmentCount = components['schemas']['SegmentCount']

/** How many contacts a filter finds, also one that no segment has yet. */
export const useFilterCount = (filter: object | null): UseQueryResult<SegmentCount> =>
  useQuery({
    queryKey: keyOf('/segments/counts', filter, 'contacts'),
    queryFn: () => answer(api.POST('/segments/counts', { body: { filter: treeOf(filter) } })),
    enabled: filter !== null,
    placeholderData: keepPreviousData,
    retry: false,
  })

/** The type of a tree of rules does not end, so that none can be compared with it. The API checks the tree. */
export const treeOf = (filter: object | null): never => filter as never
