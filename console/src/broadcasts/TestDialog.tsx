import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { FormDialog } from '../parts/FormDialog'
import { useMay, useMe } from '../session/me'
import { BROADCAST_TEXTS, BROADCAST_ACT_TEXTS as TEXTS } from '../texts/broadcasts'
import { addressesIn } from './draft'

/** A test goes to oneself unless someone else is named. */
export function TestDialog({ broadcast }: { broadcast: { id: string } }) {
  const [isOpen, dialog] = useDisclosure()
  const may = useMay()
  const { email } = useMe()
  const form = useForm({ initialValues: { to: email, contact: '' } })
  const test = useAct({
    run: ({ to, contact }: { to: string; contact: string }) =>
      answer(
        api.POST('/broadcasts/{broadcast_id}/test', {
          params: { path: { broadcast_id: broadcast.id } },
          body: {
            to: addressesIn(to),
            contact: contact.trim() === '' ? null : contact.trim(),
          },
        }),
      ),
    done: ({ emails }) => TEXTS.tested(emails.length),
    changes: ['emails'],
    onDone: dialog.close,
    isSilent: true,
  })
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {TEXTS.test}
      </Button>
      <FormDialog
        title={TEXTS.test}
        act={TEXTS.test}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={test.mutate}
        error={test.error}
        isBusy={test.isPending}
      >
        <TextInput label={TEXTS.testTo} description={TEXTS.testToHint} required data-autofocus {...form.getInputProps('to')} />
        {may('contacts:read') && (
          <TextInput label={BROADCAST_TEXTS.asContact} description={BROADCAST_TEXTS.asContactHint} {...form.getInputProps('contact')} />
        )}
      </FormDialog>
    </>
  )
}
