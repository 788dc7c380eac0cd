import { Anchor, Button, Text } from '@mantine/core'
import { ErrorSentence } from '../parts/ErrorAlert'
import { AUTOSAVE_TEXTS as TEXTS } from '../texts/content'
import { ChangedMeanwhile } from './ChangedMeanwhile'
import type { Autosave } from './use-autosave'

const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })

/** Whether what is written is saved, and a choice if someone else has written too. */
export function SavedState({ autosave }: { autosave: Autosave }) {
  const { state, savedAt, error } = autosave
  return (
    <>
      <Text size="sm" c={state === 'failed' ? 'red' : 'dimmed'} role="status">
        {state === 'saving' && TEXTS.saving}
        {state === 'unsaved' && TEXTS.unsaved}
        {state === 'saved' && savedAt !== null && TEXTS.savedAt(TIME.format(savedAt))}
        {state === 'failed' && (
          <>
            {TEXTS.failed} {error && <ErrorSentence error={error} />}{' '}
            <Anchor component="button" type="button" size="sm" onClick={autosave.tryAgain}>
              {TEXTS.tryAgain}
            </Anchor>
          </>
        )}
      </Text>
      <ChangedMeanwhile error={state === 'changed meanwhile' ? error : null}>
        <Button variant="default" onClick={() => window.location.reload()} title={TEXTS.takeTheirsMeans}>
          {TEXTS.takeTheirs}
        </Button>
        <Button variant="default" onClick={autosave.copyMine}>
          {TEXTS.copyMine}
        </Button>
        <Button onClick={autosave.keepMine}>{TEXTS.keepMine}</Button>
      </ChangedMeanwhile>
    </>
  )
}
