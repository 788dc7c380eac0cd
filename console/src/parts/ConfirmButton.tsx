import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

type ConfirmButtonProps = {
  name: string
  /** What happens, and what does not come back. */
  question: ReactNode
  /** On the button that does it. */
  act?: string
  onConfirm: () => void
  /** Has to be typed before: for what cannot be undone and is large. */
  typed?: string
  isBusy?: boolean
} & Pick<ButtonProps, 'color' | 'variant' | 'size' | 'disabled'>

/** A button that asks before it does what cannot be undone. */
export function ConfirmButton({
  name,
  question,
  act = name,
  onConfirm,
  typed,
  isBusy = false,
  color = 'red',
  variant = 'light',
  ...props
}: ConfirmButtonProps) {
  const [isOpen, dialog] = useDisclosure()
  const [text, setText] = useState('')
  return (
    <>
      <Button color={color} variant={variant} onClick={dialog.open} loading={isBusy} {...props}>
        {name}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={name}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            dialog.close()
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
              <Button variant="default" onClick={dialog.close} data-autofocus={typed === undefined || undefined}>
                {TEXTS.cancel}
              </Button>
              <Button type="submit" color={color} disabled={typed !== undefined && text.trim() !== typed}>
                {act}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
