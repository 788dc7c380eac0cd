import { Button, JsonInput, Text, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { EVENT_TEXTS as TEXTS } from '../texts/events'
import { examplePayload } from './event-fields'

type Values = { email: string; payload: string }

/** Sends an event for one contact by hand, as a program would. */
export function SendEvent({ event, onSent }: { event: RecordOf<'/events/{event_id}'>; onSent: (email: string) => void }) {
  const payload = examplePayload(event.schema)
  const send = useDialogForm({
    initialValues: { email: '', payload: payload === null ? '' : JSON.stringify(payload, null, 2) },
    validate: { payload: (payload) => (isJson(payload) ? null : TEXTS.notJson) },
    run: ({ email, payload }: Values) =>
      answer(
        api.POST('/events/send', {
          body: {
            ...{ event: event.name, email: email.trim() },
            ...(payload.trim() !== '' && { payload: JSON.parse(payload) as Record<string, never> }),
          },
        }),
      ),
    done: TEXTS.sent,
    changes: ['contacts', 'events', 'automations'],
    onDone: (_sent, { email }) => {
      onSent(email.trim())
    },
  })
  return (
    <>
      <Button onClick={send.open}>{TEXTS.send}</Button>
      <FormDialog title={TEXTS.sendTitle(event.name)} {...send.dialog} act={TEXTS.send}>
        <Text size="sm">{TEXTS.sendHint}</Text>
        <TextInput
          label={TEXTS.sendContact}
          description={TEXTS.sendContactHint}
          required
          data-autofocus
          inputMode="email"
          spellCheck={false}
          {...send.form.getInputProps('email')}
        />
        <JsonInput
          label={TEXTS.payload}
          description={TEXTS.payloadHint}
          autosize
          minRows={4}
          maxRows={16}
          formatOnBlur
          {...send.form.getInputProps('payload')}
        />
      </FormDialog>
    </>
  )
}

function isJson(text: string): boolean {
  if (text.trim() === '') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
