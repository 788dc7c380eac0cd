import { Alert, Button, Code, Stack } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import { requestIdOf } from '../api/client'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { withCode } from './with-code'

type ErrorAlertProps = {
  error: Error
  /** Replaces the API's sentence. */
  message?: string
  title?: string
  /** Orange: it asks for a choice, and nothing has failed. */
  color?: 'red' | 'orange'
  onRetry?: () => void
  ref?: Ref<HTMLDivElement>
  /** What to do about it. */
  children?: ReactNode
}

/** What a page or a dialog says about an error. */
export const ErrorAlert = ({ error, message, title, color = 'red', onRetry, ref, children }: ErrorAlertProps) => (
  <Alert color={color} title={title} role="alert" ref={ref}>
    <Stack gap="xs" align="flex-start">
      <div>
        <ErrorSentence error={error} message={message} />
      </div>
      {children}
      {onRetry && (
        <Button size="xs" variant="light" color={color} onClick={onRetry}>
          {TEXTS.again}
        </Button>
      )}
    </Stack>
  </Alert>
)

/** Stands where something is shown that could not be read. */
export const NotLoaded = ({ error, onRetry }: Pick<ErrorAlertProps, 'error' | 'onRetry'>) => (
  <ErrorAlert error={error} title={TEXTS.notLoaded} onRetry={onRetry} />
)

/** The API's own sentence, which says what to do, and the id by which an operator finds the request. */
export function ErrorSentence({ error, message = error.message }: Pick<ErrorAlertProps, 'error' | 'message'>) {
  const requestId = requestIdOf(error)
  return (
    <>
      {withCode(message)}
      {requestId !== null && (
        <>
          {' '}
          {TEXTS.requestId} <Code>{requestId}</Code>
        </>
      )}
    </>
  )
}
