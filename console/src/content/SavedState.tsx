import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { withCode } from '../parts/withCode'
import { AUTOSAVE_TEXTS as TEXTS } from '../texts/content'
import type { Autosave } from './use-autosave'

const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })

/** Whether what is written is saved, and a choice if someone else has written too. */
export function SavedState({ autosave }: { autosave: Autosave }) {
  const { state, savedAt, problem } = autosave
  return (
    <>
      <Text size="sm" c={state === 'failed' ? 'red' : 'dimmed'} role="status">
        {state === 'saving' && TEXTS.saving}
        {state === 'unsaved' && TEXTS.unsaved}
        {state === 'saved' && savedAt !== null && TEXTS.savedAt(TIME.format(savedAt))}
        {state === 'failed' && (
          <>
            {TEXTS.failed} {withCode(problem ?? '')}{' '}
            <Anchor component="button" type="button" size="sm" onClick={autosave.tryAgain}>
              {TEXTS.tryAgain}
            </Anchor>
          </>
        )}
      </Text>
      <Modal opened={state === 'changed meanwhile'} onClose={() => {}} withCloseButton={false} title={TEXTS.changedTitle} size="lg">
        <Stack>
          <Alert color="orange" role="alert">
            {withCode(problem ?? '')}
          </Alert>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => window.location.reload()} title={TEXTS.takeTheirsMeans}>
              {TEXTS.takeTheirs}
            </Button>
            <Button variant="default" onClick={autosave.copyMine}>
              {TEXTS.copyMine}
            </Button>
            <Button onClick={autosave.keepMine}>{TEXTS.keepMine}</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
