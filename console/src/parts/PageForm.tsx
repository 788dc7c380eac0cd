import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { ErrorAlert } from './ErrorAlert'
import { LeaveQuestion } from './LeaveQuestion'
import { LinkButton } from './LinkButton'
import type { PageFormState } from './page-form'
import { useRefusal } from './use-refusal'

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
  const refusal = useRefusal(form, error)
  return (
    <form ref={refusal.around} onSubmit={form.onSubmit(onSubmit, refusal.onInvalid)}>
      <Stack>
        {children}
        {refusal.error && <ErrorAlert error={refusal.error} ref={refusal.alert} />}
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
