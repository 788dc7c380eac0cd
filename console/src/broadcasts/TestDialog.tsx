import { Button, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import { addressList } from '../parts/addresses'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useMay, useMe } from '../session/me'
import { BROADCAST_TEXTS, BROADCAST_ACT_TEXTS as TEXTS } from '../texts/broadcasts'

/** A test goes to oneself unless someone else is named. */
export function TestDialog({ broadcast }: { broadcast: { id: string } }) {
  const may = useMay()
  const { email } = useMe()
  const test = useDialogForm({
    initialValues: { to: email, contact: '' },
    run: ({ to, contact }: { to: string; contact: string }) =>
      answer(
        api.POST('/broadcasts/{broadcast_id}/test', {
          params: { path: { broadcast_id: broadcast.id } },
          body: {
            to: addressList(to),
            contact: contact.trim() === '' ? null : contact.trim(),
          },
        }),
      ),
    done: ({ emails }) => TEXTS.tested(emails.length),
    changes: ['emails'],
  })
  return (
    <>
      <Button variant="default" onClick={test.open}>
        {TEXTS.test}
      </Button>
      <FormDialog title={TEXTS.test} act={TEXTS.test} {...test.dialog}>
        <TextInput label={TEXTS.testTo} description={TEXTS.testToHint} required data-autofocus {...test.form.getInputProps('to')} />
        {may('contacts:read') && (
          <TextInput
            label={BROADCAST_TEXTS.asContact}
            description={BROADCAST_TEXTS.asContactHint}
            {...test.form.getInputProps('contact')}
          />
        )}
      </FormDialog>
    </>
  )
}
