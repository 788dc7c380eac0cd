import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { sentenceOf } from '../api/acts'
import { ApiError } from '../api/client'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { LinkButton } from './LinkButton'
import type { PageFormState } from './page-form'
import { withCode } from './withCode'

type PageFormProps<Values extends Record<string, unknown>> = PageFormState<Values> & {
  act?: string
  beside?: ReactNode
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
  beside,
  children,
}: PageFormProps<Values>) {
  const problem = useRef<HTMLDivElement>(null)
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => form.isDirty() && current.pathname !== next.pathname,
    enableBeforeUnload: () => form.isDirty(),
    withResolver: true,
  })
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
            {TEXTS.cancel}
          </LinkButton>
          {beside}
        </Group>
      </Stack>
      <Modal opened={leaving.status === 'blocked'} onClose={() => leaving.reset?.()} title={TEXTS.leaveTitle}>
        <Stack>
          <Text>{TEXTS.leaveQuestion}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => leaving.reset?.()} data-autofocus>
              {TEXTS.stay}
            </Button>
            <Button color="red" onClick={() => leaving.proceed?.()}>
              {TEXTS.leave}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </form>
  )
}
