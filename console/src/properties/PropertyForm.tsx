import { Button, Group, Radio, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { FormDialog } from '../parts/FormDialog'
import { PROPERTY_TEXTS as TEXTS } from '../texts/properties'
import { typedValue } from './property-values'

type Property = RecordOf<'/contact-properties/{contact_property_id}'>
type Values = { key: string; type: Property['type']; fallback: string }

const CHANGES = ['contact-properties', 'contacts']

export function CreateProperty() {
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<Values>({ initialValues: { key: '', type: 'string', fallback: '' } })
  const create = useAct({
    run: ({ key, type, fallback }: Values) =>
      answer(api.POST('/contact-properties', { body: { key: key.trim(), type, fallback_value: typedValue(fallback, type) } })),
    done: TEXTS.created,
    changes: CHANGES,
    onDone: () => {
      form.reset()
      dialog.close()
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
          label={TEXTS.key}
          description={TEXTS.keyHint}
          required
          data-autofocus
          autoCapitalize="off"
          spellCheck={false}
          {...form.getInputProps('key')}
        />
        <Radio.Group label={TEXTS.type} description={TEXTS.typeHint} {...form.getInputProps('type')}>
          <Group mt={6}>
            <Radio value="string" label={TEXTS.types.string} />
            <Radio value="number" label={TEXTS.types.number} />
          </Group>
        </Radio.Group>
        <TextInput label={TEXTS.fallback} description={TEXTS.fallbackHint} {...form.getInputProps('fallback')} />
      </FormDialog>
    </>
  )
}

export function EditProperty({ property }: { property: Property }) {
  const [isOpen, dialog] = useDisclosure()
  const initial = { fallback: String(property.fallback_value ?? '') }
  const form = useForm({ initialValues: initial })
  const update = useAct({
    run: ({ fallback }: { fallback: string }) =>
      answer(
        api.PATCH('/contact-properties/{contact_property_id}', {
          params: { path: { contact_property_id: property.id } },
          body: { fallback_value: typedValue(fallback, property.type) },
        }),
      ),
    done: TEXTS.saved,
    changes: CHANGES,
    onDone: dialog.close,
    isSilent: true,
  })
  const open = () => {
    form.setInitialValues(initial)
    form.reset()
    update.reset()
    dialog.open()
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        {TEXTS.edit}
      </Button>
      <FormDialog
        title={property.key}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={update.mutate}
        error={update.error}
        isBusy={update.isPending}
      >
        <TextInput label={TEXTS.fallback} description={TEXTS.fallbackHint} data-autofocus {...form.getInputProps('fallback')} />
      </FormDialog>
    </>
  )
}
