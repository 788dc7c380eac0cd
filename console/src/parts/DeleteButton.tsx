import { Alert, Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { sentenceOf, useAct } from '../api/acts'
import { ApiError } from '../api/client'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

type DeleteButtonProps = {
  /** On the button, and as the title of the question: "Delete the domain". */
  name: string
  /** What that means, a sentence each. */
  means: readonly string[]
  more?: ReactNode
  /** Has to be typed before: for what is large and cannot be undone. */
  typed?: string
  /** Deletes it; what is in use only if `unless_used` is false. */
  run: (query: { unless_used: boolean }) => Promise<unknown>
  done: string
  changes: readonly string[]
  onDone?: () => void
  size?: string
}

const IN_USE = 409

/** Asks before it deletes. What other records use is named first, and deleted only by a second, plain choice. */
export function DeleteButton({ name, means, more, typed, run, done, changes, onDone, size }: DeleteButtonProps) {
  const [isOpen, dialog] = useDisclosure()
  const [text, setText] = useState('')
  const act = useAct({
    run: (unlessUsed: boolean) => run({ unless_used: unlessUsed }),
    done,
    changes,
    isSilent: true,
    onDone: () => {
      dialog.close()
      onDone?.()
    },
  })
  const isInUse = act.error instanceof ApiError && act.error.status === IN_USE
  const close = () => {
    dialog.close()
    setText('')
    act.reset()
  }
  return (
    <>
      <Button color="red" variant="subtle" onClick={dialog.open} size={size ?? 'sm'}>
        {name}
      </Button>
      <Modal opened={isOpen} onClose={close} title={name}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            act.mutate(!isInUse)
          }}
        >
          <Stack>
            <List spacing={4}>
              {means.map((sentence) => (
                <List.Item key={sentence}>{sentence}</List.Item>
              ))}
            </List>
            {more}
            <Text size="sm" c="dimmed">
              {TEXTS.notUndone}
            </Text>
            {act.error && (
              <Alert color={isInUse ? 'orange' : 'red'} role="alert">
                {sentenceOf(act.error)}
              </Alert>
            )}
            {typed !== undefined && (
              <TextInput
                label={TEXTS.typeToConfirm(typed)}
                value={text}
                onChange={({ currentTarget }) => setText(currentTarget.value)}
                autoComplete="off"
                data-autofocus
              />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {TEXTS.keep}
              </Button>
              <Button type="submit" color="red" loading={act.isPending} disabled={typed !== undefined && text.trim() !== typed}>
                {isInUse ? TEXTS.deleteAnyway : name}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
