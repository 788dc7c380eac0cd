import { Button, Radio, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Plus } from 'lucide-react'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useGo } from '../shell/address'
import { TOPIC_TEXTS as TEXTS } from '../texts/topics'

type Topic = RecordOf<'/topics/{topic_id}'>
type Values = { name: string; description: string; standard: Topic['default_subscription']; visibility: Topic['visibility'] }

const valuesOf = (topic: Topic | null): Values => ({
  name: topic?.name ?? '',
  description: topic?.description ?? '',
  standard: topic?.default_subscription ?? 'opt_in',
  visibility: topic?.visibility ?? 'public',
})

const shown = ({ name, description, visibility }: Values) => ({
  name: name.trim(),
  description: description.trim() || null,
  visibility,
})

export function CreateTopic() {
  const go = useGo()
  const create = useDialogForm({
    initialValues: valuesOf(null),
    run: (values: Values) => answer(api.POST('/topics', { body: { ...shown(values), default_subscription: values.standard } })),
    keepsTyped: true,
    command: 'create-topic',
    done: TEXTS.created,
    changes: ['topics', 'contacts'],
    onDone: ({ id }) => {
      go(`/topics/${id}`)
    },
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={create.open}>
        {TEXTS.create}
      </Button>
      <FormDialog title={TEXTS.create} {...create.dialog} act={TEXTS.create}>
        <Fields form={create.form} isNew />
      </FormDialog>
    </>
  )
}

export function EditTopic({ topic }: { topic: Topic }) {
  const update = useDialogForm({
    initialValues: valuesOf(topic),
    run: (values: Values) => answer(api.PATCH('/topics/{topic_id}', { params: { path: { topic_id: topic.id } }, body: shown(values) })),
    done: TEXTS.saved,
    changes: ['topics', 'contacts'],
  })
  return (
    <>
      <Button variant="default" onClick={update.open}>
        {TEXTS.edit}
      </Button>
      <FormDialog title={topic.name} {...update.dialog}>
        <Fields form={update.form} isNew={false} />
      </FormDialog>
    </>
  )
}

const Fields = ({ form, isNew }: { form: UseFormReturnType<Values>; isNew: boolean }) => (
  <>
    <TextInput label={TEXTS.name} description={TEXTS.nameHint} required data-autofocus {...form.getInputProps('name')} />
    <TextInput label={TEXTS.description} description={TEXTS.descriptionHint} {...form.getInputProps('description')} />
    {isNew && (
      <Radio.Group label={TEXTS.standard} description={TEXTS.standardHint} {...form.getInputProps('standard')}>
        <Choices words={TEXTS.standards} />
      </Radio.Group>
    )}
    <Radio.Group label={TEXTS.visibility} {...form.getInputProps('visibility')}>
      <Choices words={TEXTS.visibilities} />
    </Radio.Group>
  </>
)

const Choices = ({ words }: { words: Readonly<Record<string, string>> }) => (
  <Stack gap={6} mt={6}>
    {Object.entries(words).map(([value, label]) => (
      <Radio key={value} value={value} label={label} />
    ))}
  </Stack>
)
