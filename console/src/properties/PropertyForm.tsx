import { Button, Group, Radio, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { PROPERTY_TEXTS as TEXTS } from '../texts/properties'
import { typedValue } from './property-values'

type Property = RecordOf<'/contact-properties/{contact_property_id}'>
type Values = { key: string; type: Property['type']; fallback: string }

const CHANGES = ['contact-properties', 'contacts']

export function CreateProperty() {
  const create = useDialogForm({
    initialValues: { key: '', type: 'string', fallback: '' },
    run: ({ key, type, fallback }: Values) =>
      answer(api.POST('/contact-properties', { body: { key: key.trim(), type, fallback_value: typedValue(fallback, type) } })),
    keepsTyped: true,
    command: 'create-property',
    done: TEXTS.created,
    changes: CHANGES,
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={create.open}>
        {TEXTS.create}
      </Button>
      <FormDialog title={TEXTS.create} {...create.dialog} act={TEXTS.create}>
        <TextInput
          label={TEXTS.key}
          description={TEXTS.keyHint}
          required
          data-autofocus
          autoCapitalize="off"
          spellCheck={false}
          {...create.form.getInputProps('key')}
        />
        <Radio.Group label={TEXTS.type} description={TEXTS.typeHint} {...create.form.getInputProps('type')}>
          <Group mt={6}>
            <Radio value="string" label={TEXTS.types.string} />
            <Radio value="number" label={TEXTS.types.number} />
          </Group>
        </Radio.Group>
        <TextInput label={TEXTS.fallback} description={TEXTS.fallbackHint} {...create.form.getInputProps('fallback')} />
      </FormDialog>
    </>
  )
}

export function EditProperty({ property }: { property: Property }) {
  const initial = { fallback: String(property.fallback_value ?? '') }
  const update = useDialogForm({
    initialValues: initial,
    run: ({ fallback }: { fallback: string }) =>
      answer(
        api.PATCH('/contact-properties/{contact_property_id}', {
          params: { path: { contact_property_id: property.id } },
          body: { fallback_value: typedValue(fallback, property.type) },
        }),
      ),
    done: TEXTS.saved,
    changes: CHANGES,
  })
  return (
    <>
      <Button variant="default" onClick={update.open}>
        {TEXTS.edit}
      </Button>
      <FormDialog title={property.key} {...update.dialog}>
        <TextInput label={TEXTS.fallback} description={TEXTS.fallbackHint} data-autofocus {...update.form.getInputProps('fallback')} />
      </FormDialog>
    </>
  )
}
