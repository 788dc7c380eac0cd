import { Button, SimpleGrid, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { FormDialog } from '../parts/FormDialog'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { SegmentsField } from './SegmentsField'

type Values = { email: string; firstName: string; lastName: string; segments: string[] }

export function CreateContact() {
  const go = useGo()
  const may = useMay()
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<Values>({ initialValues: { email: '', firstName: '', lastName: '', segments: [] } })
  const create = useAct({
    run: ({ email, firstName, lastName, segments }: Values) =>
      answer(
        api.POST('/contacts', {
          body: {
            ...{ email: email.trim(), first_name: firstName.trim() || null, last_name: lastName.trim() || null },
            ...(segments.length > 0 && { segments: segments.map((id) => ({ id })) }),
          },
        }),
      ),
    done: TEXTS.created,
    changes: ['contacts', 'segments'],
    onDone: ({ id }) => {
      form.reset()
      dialog.close()
      go(`/contacts/${id}`)
    },
    isSilent: true,
  })
  return (
    <>
      <Button onClick={dialog.open}>{TEXTS.create}</Button>
      <FormDialog
        title={TEXTS.create}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={create.mutate}
        error={create.error}
        isBusy={create.isPending}
        act={TEXTS.create}
      >
        <TextInput
          label={TEXTS.email}
          required
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('email')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={TEXTS.firstName} {...form.getInputProps('firstName')} />
          <TextInput label={TEXTS.lastName} {...form.getInputProps('lastName')} />
        </SimpleGrid>
        {may('segments:read') && <SegmentsField {...form.getInputProps('segments')} />}
      </FormDialog>
    </>
  )
}
