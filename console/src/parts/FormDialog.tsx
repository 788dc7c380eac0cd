import { Alert, Button, Group, Modal, type ModalProps, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { sentenceOf } from '../api/acts'
import { ApiError } from '../api/client'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { withCode } from './withCode'

type FormDialogProps<Values extends Record<string, unknown>> = {
  title: string
  isOpen: boolean
  onClose: () => void
  form: UseFormReturnType<Values>
  onSubmit: (values: Values) => void
  error: Error | null
  isBusy: boolean
  act?: string
  size?: ModalProps['size']
  children: ReactNode
}

/** A form in a dialog. It stays open, with what was typed, until the API has accepted it; the API's own sentence says what to change. */
export function FormDialog<Values extends Record<string, unknown>>({
  title,
  isOpen,
  onClose,
  form,
  onSubmit,
  error,
  isBusy,
  act,
  size,
  children,
}: FormDialogProps<Values>) {
  return (
    // A click beside it would lose what was typed.
    <Modal opened={isOpen} onClose={onClose} title={title} size={size ?? 'md'} closeOnClickOutside={!form.isDirty()}>
      <form onSubmit={form.onSubmit(onSubmit)}>
        <Stack>
          {error && (
            <Alert color="red" role="alert">
              {withCode(error instanceof ApiError ? sentenceOf(error) : error.message)}
            </Alert>
          )}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {act ?? TEXTS.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
