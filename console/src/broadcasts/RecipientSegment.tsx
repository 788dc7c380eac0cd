import { Alert, Button, SegmentedControl, Select, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { useAllRows } from '../api/queries'
import { JobDialog } from '../contact-jobs/JobDialog'
import { countWords, useSelectionCount } from '../contact-jobs/jobs'
import { isUntracked, type Tracked } from '../domains/tracked'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { RECIPIENT_SEGMENT_TEXTS as TEXTS } from '../texts/broadcasts'

type Group = keyof typeof TEXTS.groups
type Shared = { broadcast: { id: string; name: string }; tracked: Tracked | null }
type Values = { group: Group; into: string; name: string; segment: string | null }
const GROUPS = Object.entries(TEXTS.groups).map(([value, label]) => ({ value, label }))
const NAME_LENGTH_MAX = 100

/** Makes a segment of some of the recipients, such as those who did not open it. */
export function RecipientSegment({ broadcast, tracked }: Shared) {
  const [isOpen, dialog] = useDisclosure()
  const [jobId, setJobId] = useState<string | null>(null)
  return (
    <>
      <Button size="xs" variant="default" onClick={dialog.open}>
        {TEXTS.open}
      </Button>
      {isOpen && (
        <SegmentDialog
          broadcast={broadcast}
          tracked={tracked}
          onClose={dialog.close}
          onStarted={(id) => {
            dialog.close()
            setJobId(id)
          }}
        />
      )}
      <JobDialog id={jobId} onClose={() => setJobId(null)} />
    </>
  )
}

type SegmentDialogProps = Shared & { onClose: () => void; onStarted: (jobId: string) => void }

function SegmentDialog({ broadcast: { id, name }, tracked, onClose, onStarted }: SegmentDialogProps) {
  const segments = useAllRows('/segments')
  const nameOf = (group: Group) => `${name}: ${TEXTS.groups[group].toLowerCase()}`.slice(0, NAME_LENGTH_MAX)
  const make = useDialogForm({
    initialValues: { group: 'not_opened', into: 'new', name: nameOf('not_opened'), segment: null },
    run: (values: Values) =>
      answer(
        api.POST('/broadcasts/{broadcast_id}/segments', {
          params: { path: { broadcast_id: id } },
          body: { recipients: values.group, ...(values.into === 'new' ? { name: values.name } : { segment_id: values.segment }) },
        }),
      ),
    changes: ['segments', 'contacts'],
    onDone: (job) => onStarted(job.id),
  })
  const { form } = make
  const { group, into } = form.values
  const { data: count, error: uncounted } = useSelectionCount({ broadcast_id: id, recipients: group }, true)
  const choose = (chosen: string | null) => {
    if (chosen === null) return
    // A name that someone has typed stays.
    if (form.values.name === nameOf(group)) form.setFieldValue('name', nameOf(chosen as Group))
    form.setFieldValue('group', chosen as Group)
  }
  return (
    <FormDialog title={TEXTS.title} act={TEXTS.make} {...make.dialog} isOpen onClose={onClose}>
      <Select label={TEXTS.who} data={GROUPS} value={group} onChange={choose} allowDeselect={false} />
      <Text size="sm" role="status">
        {count ? TEXTS.are(countWords(count), count.contacts === 1) : (uncounted?.message ?? TEXTS.counting)}
      </Text>
      {isUntracked(group.replace('not_', ''), 0, tracked) && <Alert color="orange">{TEXTS.untracked}</Alert>}
      <SegmentedControl
        aria-label={TEXTS.into}
        data={[
          { value: 'new', label: TEXTS.newSegment },
          { value: 'known', label: TEXTS.knownSegment },
        ]}
        {...form.getInputProps('into')}
      />
      {into === 'new' ? (
        <TextInput label={TEXTS.name} required maxLength={NAME_LENGTH_MAX} {...form.getInputProps('name')} />
      ) : (
        <Select
          label={TEXTS.segment}
          required
          searchable
          data={segments.rows.map((segment) => ({ value: segment.id, label: segment.name }))}
          {...form.getInputProps('segment')}
        />
      )}
      <Text size="sm" c="dimmed">
        {TEXTS.hint}
      </Text>
    </FormDialog>
  )
}
