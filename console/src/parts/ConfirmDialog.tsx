import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

type Question = {
  title: string
  /** What happens, and what does not come back. */
  question: ReactNode
  /** On the button that does it. */
  act?: string
  onConfirm: () => void
  /** Has to be typed before: for what cannot be undone and is large. */
  typed?: string
  color?: string
  onClose: () => void
}

export type ConfirmDialogProps = Question & { isOpen: boolean }

/** Asks before something is done that cannot be undone. */
export const ConfirmDialog = ({ isOpen, ...question }: ConfirmDialogProps) => (
  <Modal opened={isOpen} onClose={question.onClose} title={question.title}>
    <Confirmation {...question} />
  </Modal>
)

/** It is made anew each time that the dialog opens: what was typed for a question that was canceled answers no other one. */
function Confirmation({ title, question, act = title, onConfirm, typed, color = 'red', onClose }: Question) {
  const [text, setText] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onClose()
        onConfirm()
      }}
    >
      <Stack>
        <Text component="div">{question}</Text>
        {typed !== undefined && (
          <TextInput
            label={TEXTS.typeToConfirm(typed)}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus={typed === undefined || undefined}>
            {TEXTS.cancel}
          </Button>
          <Button type="submit" color={color} disabled={typed !== undefined && text.trim() !== typed}>
            {act}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
