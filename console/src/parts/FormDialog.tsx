import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { ErrorAlert } from './ErrorAlert'
import { useRefusal } from './use-refusal'

type FormDialogProps<Values extends Record<string, unknown>> = {
  title: string
  isOpen: boolean
  onClose: () => void
  form: UseFormReturnType<Values>
  onSubmit: (values: Values) => void
  error: Error | null
  isBusy: boolean
  /** Something is still read without which it cannot be sent. */
  isWaiting?: boolean
  act?: string
  size?: ModalProps['size']
  children: ReactNode
}

/** A form in a dialog. It stays open, with what was typed, until the API has accepted it; the API's own sentence says what to change, at the field that it names. */
export function FormDialog<Values extends Record<string, unknown>>({
  title,
  isOpen,
  onClose,
  form,
  onSubmit,
  error,
  isBusy,
  isWaiting = false,
  act,
  size,
  children,
}: FormDialogProps<Values>) {
  const refusal = useRefusal(form, isOpen ? error : null)
  return (
    // A click beside it would lose what was typed. Closed while its request is under way, it would be opened and sent again.
    <Modal opened={isOpen} onClose={isBusy ? () => {} : onClose} title={title} size={size ?? 'md'} closeOnClickOutside={!form.isDirty()}>
      <form ref={refusal.around} onSubmit={form.onSubmit(onSubmit, refusal.onInvalid)}>
        <Stack>
          {refusal.error && <ErrorAlert error={refusal.error} ref={refusal.alert} />}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} disabled={isBusy}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy || isWaiting}>
              {act ?? TEXTS.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
