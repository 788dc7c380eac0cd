import { Button, Text, Textarea, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { TAKEDOWN_TEXTS as TEXTS } from '../texts/operation'

/** A complaint about an image has its address, and nothing else. */
export function TakeImageDown() {
  const stop = useDialogForm({
    initialValues: { url: '', reason: '' },
    run: ({ url, reason }: { url: string; reason: string }) =>
      answer(api.POST('/operation/images/stop', { body: { url: url.trim(), reason } })),
    done: ({ team }) => TEXTS.done(team.name),
    changes: [],
  })
  return (
    <>
      <Button variant="default" onClick={stop.open}>
        {TEXTS.title}
      </Button>
      <FormDialog title={TEXTS.title} {...stop.dialog} act={TEXTS.act}>
        <Text>{TEXTS.hint}</Text>
        <TextInput label={TEXTS.url} required data-autofocus {...stop.form.getInputProps('url')} />
        <Textarea label={TEXTS.reason} required autosize minRows={2} {...stop.form.getInputProps('reason')} />
      </FormDialog>
    </>
  )
}
