import { Alert, Button, Group, Stack } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { sentenceOf } from '../api/acts'
import { ApiError } from '../api/client'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { LeaveQuestion } from './LeaveQuestion'
import { LinkButton } from './LinkButton'
import type { PageFormState } from './page-form'
import { withCode } from './withCode'

type PageFormProps<Values extends Record<string, unknown>> = PageFormState<Values> & {
  act?: string
  /** What leaving without saving by intent is called. */
  leave?: string
  children: ReactNode
}

/** A form that is a page of its own. What was typed stays until the API has accepted it, and is not lost by a click on a link. */
export function PageForm<Values extends Record<string, unknown>>({
  form,
  onSubmit,
  error,
  isBusy,
  back,
  act,
  leave,
  children,
}: PageFormProps<Values>) {
  const problem = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (error) problem.current?.scrollIntoView({ block: 'center' })
  }, [error])
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <Stack>
        {children}
        {error && (
          <Alert color="red" role="alert" ref={problem}>
            {withCode(error instanceof ApiError ? sentenceOf(error) : error.message)}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={isBusy}>
            {act ?? TEXTS.save}
          </Button>
          <LinkButton variant="default" to={back}>
            {leave ?? TEXTS.cancel}
          </LinkButton>
        </Group>
      </Stack>
      <LeaveQuestion isDirty={() => form.isDirty()} />
    </form>
  )
}
