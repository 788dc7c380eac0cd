import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

export type ConfirmDialogProps = {
  title: string
  /** What happens, and what does not come back. */
  question: ReactNode
  /** On the button that does it. */
  act?: string
  onConfirm: () => void
  /** Has to be typed before: for what cannot be undone and is large. */
  typed?: string
  color?: string
  isOpen: boolean
  onClose: () => void
  isBusy?: boolean
}

/** Asks before something is done that cannot be undone. */
export function ConfirmDialog({
  title,
  question,
  act = title,
  onConfirm,
  typed,
  color = 'red',
  isOpen,
  onClose,
  isBusy = false,
}: ConfirmDialogProps) {
  const [text, setText] = useState('')
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onClose()
          setText('')
          onConfirm()
        }}
      >
        <Stack>
          <Text component="div">{question}</Text>
          {typed !== undefined && (
            <TextInput label={TEXTS.typeToConfirm(typed)} value={text} onChange={(event) => setText(event.currentTarget.value)} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus={typed === undefined || undefined}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" color={color} loading={isBusy} disabled={typed !== undefined && text.trim() !== typed}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
