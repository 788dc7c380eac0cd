import { Select, Text, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import { useAllRows } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { countOf, plainNumber } from '../parts/numbers'
import { typedValue } from '../properties/property-values'
import { useListedSegments } from '../segments/listed-segments'
import { useMay } from '../session/me'
import { CONTACT_JOB_TEXTS as TEXTS } from '../texts/contact-jobs'
import { type ActType, type ContactJob, countWords, type Selection, useSelectionCount } from './jobs'

/** More contacts than that are typed before something is done with them. */
const UNASKED_MAX = 1_000

type ActDialogProps = {
  /** Null: nothing is asked. */
  contacts: Selection | null
  /** Where they are listed: chosen at first for what leads out of it. */
  segmentId?: string
  onClose: () => void
  onStarted: (job: ContactJob) => void
}

/** Asks what to do with many contacts, and says how many they are and what happens. */
export function ActDialog({ contacts, ...props }: ActDialogProps) {
  return contacts && <OpenDialog contacts={contacts} {...props} />
}

function OpenDialog({ contacts, segmentId, onClose, onStarted }: ActDialogProps & { contacts: Selection }) {
  const acts = useActs(contacts)
  const { data: count } = useSelectionCount(contacts, true)
  const { segments, topics, properties } = useNamed()
  const start = useDialogForm({
    initialValues: { type: '', segment_id: segmentId ?? null, topic_id: null, property: '', value: '', typed: '' },
    validate: {
      typed: (value, { type }) => (typedNumber(type) === null || plainNumber(value) === plainNumber(typedNumber(type) ?? '') ? null : ' '),
    },
    run: (values: Values) => answer(api.POST('/contacts/jobs', { body: { contacts: contacts as never, act: bodyOf(values, properties) } })),
    changes: ['contacts'],
    onDone: onStarted,
  })
  const { form } = start
  const { type, property } = form.values
  /** What is large or cannot be undone is not done by a slip. */
  function typedNumber(act: string): string | null {
    return count && (count.contacts > UNASKED_MAX || act === 'delete') ? countOf(count.contacts) : null
  }
  const typed = typedNumber(type)
  return (
    <FormDialog title={TEXTS.dialogTitle} act={TEXTS.start} {...start.dialog} isOpen onClose={onClose} isWaiting={!count}>
      <Text>{count ? howMany(count) : TEXTS.counting}</Text>
      <Select
        label={TEXTS.what}
        required
        allowDeselect={false}
        data={acts.map((value) => ({ value, label: TEXTS.acts[value] }))}
        {...form.getInputProps('type')}
      />
      {type !== '' && (
        <Text size="sm" c="dimmed">
          {TEXTS.means[type]}
        </Text>
      )}
      {(type === 'add_to_segment' || type === 'remove_from_segment') && (
        <Select label={TEXTS.segment} required searchable data={segments} {...form.getInputProps('segment_id')} />
      )}
      {(type === 'opt_in' || type === 'opt_out') && (
        <Select label={TEXTS.topic} required searchable data={topics} {...form.getInputProps('topic_id')} />
      )}
      {type === 'set_property' && (
        <>
          <Select label={TEXTS.property} required searchable data={properties.map(({ key }) => key)} {...form.getInputProps('property')} />
          <TextInput label={TEXTS.value} description={TEXTS.valueHint} disabled={!property} {...form.getInputProps('value')} />
        </>
      )}
      {typed !== null && <TextInput label={TEXTS.typeNumber(typed)} autoComplete="off" {...form.getInputProps('typed')} />}
    </FormDialog>
  )
}

const howMany = (count: { contacts: number; is_exact: boolean }): string =>
  count.contacts === 1 ? TEXTS.howOne : TEXTS.how(countWords(count))

/** What the role may do with them. Only people who were chosen one by one are subscribed again. */
function useActs(contacts: Selection): ActType[] {
  const may = useMay()
  const inSegments: ActType[] = may('segments:read') ? ['add_to_segment', 'remove_from_segment'] : []
  const ofTopics: ActType[] = may('topics:read') ? ['opt_in', 'opt_out'] : []
  return [
    ...inSegments,
    ...ofTopics,
    'unsubscribe',
    ...(contacts.ids ? (['subscribe'] as const) : []),
    ...(may('contact-properties:read') ? (['set_property'] as const) : []),
    ...(may('suppressions:delete') ? (['unsuppress'] as const) : []),
    'delete',
  ]
}

/** What an act can name. */
function useNamed() {
  const may = useMay()
  const choices = (rows: { id: string; name: string }[]) => rows.map(({ id, name }) => ({ value: id, label: name }))
  const segments = useListedSegments({ isEnabled: may('segments:read') })
  const topics = useAllRows('/topics', { isEnabled: may('topics:read') })
  const properties = useAllRows('/contact-properties', { isEnabled: may('contact-properties:read') })
  return { segments: choices(segments), topics: choices(topics.rows), properties: properties.rows }
}

type Values = { type: ActType | ''; segment_id: string | null; topic_id: string | null; property: string; value: string; typed: string }

/** Without what was typed for another act. */
function bodyOf(
  { type, segment_id, topic_id, property, value }: Values,
  properties: readonly { key: string; type: 'string' | 'number' }[],
) {
  const act = type as ActType
  if (act === 'add_to_segment' || act === 'remove_from_segment') return { type: act, segment_id }
  if (act === 'opt_in' || act === 'opt_out') return { type: act, topic_id }
  if (act !== 'set_property') return { type: act }
  return { type: act, property, value: typedValue(value, properties.find(({ key }) => key === property)?.type ?? 'string') }
}
