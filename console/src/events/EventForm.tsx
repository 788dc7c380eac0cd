import { Button, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useGo } from '../shell/address'
import { EVENT_TEXTS as TEXTS } from '../texts/events'
import { type FieldsForm, fieldsOf, schemaOf } from './event-fields'
import { FieldsField } from './FieldsField'

type Values = { name: string; fields: FieldsForm }

const NEW: Values = { name: '', fields: { isChecked: true, rows: [{ name: '', type: 'string' }] } }

export function CreateEvent() {
  const go = useGo()
  const create = useDialogForm({
    initialValues: NEW,
    run: ({ name, fields }: Values) => answer(api.POST('/events', { body: { name: name.trim(), schema: schemaOf(fields) } })),
    keepsTyped: true,
    command: 'create-event',
    done: TEXTS.created,
    changes: ['events'],
    onDone: ({ id }) => {
      go(`/events/${id}`)
    },
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={create.open}>
        {TEXTS.create}
      </Button>
      <FormDialog title={TEXTS.create} {...create.dialog} act={TEXTS.create}>
        <TextInput
          label={TEXTS.name}
          description={TEXTS.nameHint}
          required
          data-autofocus
          autoCapitalize="off"
          spellCheck={false}
          {...create.form.getInputProps('name')}
        />
        <FieldsField value={create.form.values.fields} onChange={(fields) => create.form.setFieldValue('fields', fields)} />
      </FormDialog>
    </>
  )
}

export function EditEvent({ event }: { event: RecordOf<'/events/{event_id}'> }) {
  const update = useDialogForm({
    initialValues: { fields: fieldsOf(event.schema) },
    run: ({ fields }: { fields: FieldsForm }) =>
      answer(api.PATCH('/events/{event_id}', { params: { path: { event_id: event.id } }, body: { schema: schemaOf(fields) } })),
    done: TEXTS.saved,
    changes: ['events'],
  })
  return (
    <>
      <Button variant="default" onClick={update.open}>
        {TEXTS.edit}
      </Button>
      <FormDialog title={event.name} {...update.dialog}>
        <FieldsField value={update.form.values.fields} onChange={(fields) => update.form.setFieldValue('fields', fields)} />
      </FormDialog>
    </>
  )
}
