import { Alert, Button, List, SegmentedControl, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { useRecord } from '../api/queries'
import { FormDialog } from '../parts/FormDialog'
import { countOf, OWN_ZONE, plainNumber } from '../parts/numbers'
import { withCode } from '../parts/withCode'
import { useMay } from '../session/me'
import { BROADCAST_ACT_TEXTS as TEXTS } from '../texts/broadcasts'

/** More recipients than that are typed before a broadcast goes to them. */
const UNASKED_MAX = 1_000

/** Asks when, says to how many, and what is wrong with it. */
export function SendDialog({ broadcast }: { broadcast: { id: string; segment_id: string } }) {
  const [isOpen, dialog] = useDisclosure()
  const { count, name, isKnown } = useRecipients(broadcast.segment_id, isOpen)
  const { data: preview } = useRecord('/broadcasts/{broadcast_id}/preview', { path: { broadcast_id: broadcast.id } }, { isEnabled: isOpen })
  const typed = count === null ? name : count > UNASKED_MAX ? countOf(count) : null
  const form = useForm({
    initialValues: { when: 'now', at: '', typed: '' },
    validate: {
      typed: (value) => (typed === null || plainNumber(value) === plainNumber(typed) ? null : TEXTS.typeNumber(typed)),
    },
  })
  const send = useAct({
    run: ({ when, at }: { when: string; at: string }) =>
      answer(
        api.POST('/broadcasts/{broadcast_id}/send', {
          params: { path: { broadcast_id: broadcast.id } },
          body: { scheduled_at: when === 'now' ? null : new Date(at).toISOString() },
        }),
      ),
    done: (_output, { when }) => (when === 'now' ? TEXTS.sent : TEXTS.scheduled),
    changes: ['broadcasts'],
    onDone: dialog.close,
    isSilent: true,
  })
  const isLater = form.values.when === 'later'
  const warnings = preview?.warnings ?? []
  return (
    <>
      <Button onClick={dialog.open}>{TEXTS.send}</Button>
      <FormDialog
        title={TEXTS.sendTitle}
        act={isLater ? TEXTS.scheduleAct : TEXTS.sendAct}
        isOpen={isOpen}
        onClose={dialog.close}
        form={form}
        onSubmit={send.mutate}
        error={send.error}
        isBusy={send.isPending || !isKnown}
      >
        <Text>{count === null ? TEXTS.goesToUnknown(name) : TEXTS.goesTo(countOf(count), name)}</Text>
        {warnings.length > 0 && (
          <Alert color="orange" title={TEXTS.warnings}>
            <List size="sm">
              {warnings.map((warning) => (
                <List.Item key={warning}>{withCode(warning)}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <SegmentedControl
          data={[
            { value: 'now', label: TEXTS.sendNow },
            { value: 'later', label: TEXTS.sendLater },
          ]}
          {...form.getInputProps('when')}
        />
        {isLater && <TextInput type="datetime-local" required label={TEXTS.at(OWN_ZONE)} {...form.getInputProps('at')} />}
        <Text size="sm" c="dimmed">
          {TEXTS.finally}
        </Text>
        {typed !== null && typed !== '' && (
          <TextInput label={TEXTS.typeNumber(typed)} autoComplete="off" {...form.getInputProps('typed')} />
        )}
      </FormDialog>
    </>
  )
}

/** How many get it at most; null if it could not be counted. */
function useRecipients(segmentId: string, isOpen: boolean): { count: number | null; name: string; isKnown: boolean } {
  const may = useMay()
  const isEnabled = isOpen && may('segments:read')
  const { data: metrics, isLoading } = useRecord('/segments/metrics', undefined, { isEnabled })
  const { data: segments } = useRecord('/segments', undefined, { isEnabled })
  const count = metrics?.data.find(({ id }) => id === segmentId)?.subscribers ?? null
  return { count, name: segments?.data.find(({ id }) => id === segmentId)?.name ?? '', isKnown: !isLoading }
}
