import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { FormDialog } from '../parts/FormDialog'
import { useGo } from '../shell/address'
import { EVENT_TEXTS as TEXTS } from '../texts/events'
import { type FieldsForm, fieldsOf, schemaOf } from './event-fields'
import { FieldsField } from './FieldsField'

type Values = { name: string; fields: FieldsForm }

const NEW: Values = { name: '', fields: { isChecked: true, rows: [{ name: '', type: 'string' }] } }

export function CreateEvent() {
  const go = useGo()
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<Values>({ initialValues: NEW })
  const create = useAct({
    run: ({ name, fields }: Values) => answer(api.POST('/events', { body: { name: name.trim(), schema: schemaOf(fields) } })),
    done: TEXTS.created,
    changes: ['events'],
    onDone: ({ id }) => {
      form.reset()
      dialog.close()
      go(`/events/${id}`)
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
          label={TEXTS.name}
          description={TEXTS.nameHint}
          required
          data-autofocus
          autoCapitalize="off"
          spellCheck={false}
          {...form.getInputProps('name')}
        />
        <FieldsField value={form.values.fields} onChange={(fields) => form.setFieldValue('fields', fields)} />
      </FormDialog>
    </>
  )
}

export function EditEvent({ event }: { event: RecordOf<'/events/{event_id}'> }) {
  const [isOpen, dialog] = useDisclosure()
  const form = useForm({ initialValues: { fields: fieldsOf(event.schema) } })
  const update = useAct({
    run: ({ fields }: { fields: FieldsForm }) =>
      answer(api.PATCH('/events/{event_id}', { params: { path: { event_id: event.id } }, body: { schema: schemaOf(fields) } })),
    done: TEXTS.saved,
    changes: ['events'],
    onDone: dialog.close,
    isSilent: true,
  })
  const open = () => {
    form.setValues({ fields: fieldsOf(event.schema) })
    update.reset()
    dialog.open()
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        {TEXTS.edit}
      </Button>
      <FormDialog
        title={event.name}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={update.mutate}
        error={update.error}
        isBusy={update.isPending}
      >
        <FieldsField value={form.values.fields} onChange={(fields) => form.setFieldValue('fields', fields)} />
      </FormDialog>
    </>
  )
}
