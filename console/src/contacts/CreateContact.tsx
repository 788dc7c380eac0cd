import { Button, SimpleGrid, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { answer, api } from '../api/client'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { SegmentsField } from './SegmentsField'

type Values = { email: string; firstName: string; lastName: string; segments: string[] }

export function CreateContact() {
  const go = useGo()
  const may = useMay()
  const create = useDialogForm({
    initialValues: { email: '', firstName: '', lastName: '', segments: [] },
    run: ({ email, firstName, lastName, segments }: Values) =>
      answer(
        api.POST('/contacts', {
          body: {
            ...{ email: email.trim(), first_name: firstName.trim() || null, last_name: lastName.trim() || null },
            ...(segments.length > 0 && { segments: segments.map((id) => ({ id })) }),
          },
        }),
      ),
    keepsTyped: true,
    command: 'create-contact',
    done: TEXTS.created,
    changes: ['contacts', 'segments'],
    onDone: ({ id }) => {
      go(`/contacts/${id}`)
    },
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={create.open}>
        {TEXTS.create}
      </Button>
      <FormDialog title={TEXTS.create} {...create.dialog} act={TEXTS.create}>
        <TextInput
          label={TEXTS.email}
          required
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus
          {...create.form.getInputProps('email')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={TEXTS.firstName} {...create.form.getInputProps('firstName')} />
          <TextInput label={TEXTS.lastName} {...create.form.getInputProps('lastName')} />
        </SimpleGrid>
        {may('segments:read') && <SegmentsField {...create.form.getInputProps('segments')} />}
      </FormDialog>
    </>
  )
}
