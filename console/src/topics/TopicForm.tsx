import { Button, Radio, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
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
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<Values>({ initialValues: valuesOf(null) })
  const create = useAct({
    run: (values: Values) => answer(api.POST('/topics', { body: { ...shown(values), default_subscription: values.standard } })),
    done: TEXTS.created,
    changes: ['topics', 'contacts'],
    onDone: ({ id }) => {
      form.reset()
      dialog.close()
      go(`/topics/${id}`)
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
        <Fields form={form} isNew />
      </FormDialog>
    </>
  )
}

export function EditTopic({ topic }: { topic: Topic }) {
  const [isOpen, dialog] = useDisclosure()
  const form = useForm<Values>({ initialValues: valuesOf(topic) })
  const update = useAct({
    run: (values: Values) => answer(api.PATCH('/topics/{topic_id}', { params: { path: { topic_id: topic.id } }, body: shown(values) })),
    done: TEXTS.saved,
    changes: ['topics', 'contacts'],
    onDone: dialog.close,
    isSilent: true,
  })
  const open = () => {
    form.setInitialValues(valuesOf(topic))
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
        title={topic.name}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={update.mutate}
        error={update.error}
        isBusy={update.isPending}
      >
        <Fields form={form} isNew={false} />
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
