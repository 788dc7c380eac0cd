import { Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useAct } from '../api/acts'
import { ApiError } from '../api/client'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'
import { ErrorAlert } from './ErrorAlert'

type DeleteDialogProps = {
  isOpen: boolean
  onClose: () => void
  /** On its button, and as the title of the question: "Delete the domain". */
  name: string
  /** What is deleted, where no page around the question says it. */
  of?: string
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
}

/** What is asked, wherever that begins. */
export type Deletion = Omit<DeleteDialogProps, 'isOpen' | 'onClose'>

const IN_USE = 409

/** Asks before it deletes. What other records use is named first, and deleted only by a second, plain choice. */
export function DeleteDialog({ isOpen, onClose, name, of, means, more, typed, run, done, changes, onDone }: DeleteDialogProps) {
  const [text, setText] = useState('')
  const act = useAct({
    run: (unlessUsed: boolean) => run({ unless_used: unlessUsed }),
    done,
    changes,
    isSilent: true,
    onDone: () => {
      onClose()
      onDone?.()
    },
  })
  const isInUse = act.error instanceof ApiError && act.error.status === IN_USE
  const close = () => {
    onClose()
    setText('')
    act.reset()
  }
  return (
    <Modal opened={isOpen} onClose={act.isPending ? () => {} : close} title={name}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          act.mutate(!isInUse)
        }}
      >
        <Stack>
          {of !== undefined && (
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{of}</bdi>
            </Text>
          )}
          <List spacing={4}>
            {means.map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
          {more}
          <Text size="sm" c="dimmed">
            {TEXTS.notUndone}
          </Text>
          {act.error && <ErrorAlert error={act.error} color={isInUse ? 'orange' : 'red'} />}
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
            <Button variant="default" onClick={close} disabled={act.isPending}>
              {TEXTS.keep}
            </Button>
            <Button type="submit" color="red" loading={act.isPending} disabled={typed !== undefined && text.trim() !== typed}>
              {isInUse ? TEXTS.deleteAnyway : name}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
