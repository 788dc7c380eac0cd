import { Alert, Button, List, SegmentedControl, Text, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import { useRecord } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { countOf, OWN_ZONE, plainNumber } from '../parts/numbers'
import { withCode } from '../parts/withCode'
import { useMay } from '../session/me'
import { BROADCAST_ACT_TEXTS as TEXTS } from '../texts/broadcasts'

/** More recipients than that are typed before a broadcast goes to them. */
const UNASKED_MAX = 1_000

/** Asks when, says to how many, and what is wrong with it. */
export function SendDialog({ broadcast }: { broadcast: { id: string; segment_id: string } }) {
  const send = useDialogForm({
    initialValues: { when: 'now', at: '', typed: '' },
    run: ({ when, at }: { when: string; at: string; typed: string }) =>
      answer(
        api.POST('/broadcasts/{broadcast_id}/send', {
          params: { path: { broadcast_id: broadcast.id } },
          body: { scheduled_at: when === 'now' ? null : new Date(at).toISOString() },
        }),
      ),
    done: (_output, { when }) => (when === 'now' ? TEXTS.sent : TEXTS.scheduled),
    changes: ['broadcasts'],
  })
  const { count, name, isKnown } = useRecipients(broadcast.segment_id, send.isOpen)
  const { data: preview } = useRecord(
    '/broadcasts/{broadcast_id}/preview',
    { path: { broadcast_id: broadcast.id } },
    { isEnabled: send.isOpen },
  )
  const typed = count === null ? name : count > UNASKED_MAX ? countOf(count) : null
  const submit = (values: typeof send.form.values) => {
    if (typed === null || plainNumber(values.typed) === plainNumber(typed)) send.dialog.onSubmit(values)
    else send.form.setFieldError('typed', TEXTS.typeNumber(typed))
  }
  const isLater = send.form.values.when === 'later'
  const warnings = preview?.warnings ?? []
  return (
    <>
      <Button onClick={send.open}>{TEXTS.send}</Button>
      <FormDialog
        title={TEXTS.sendTitle}
        act={isLater ? TEXTS.scheduleAct : TEXTS.sendAct}
        {...send.dialog}
        onSubmit={submit}
        isBusy={send.dialog.isBusy || !isKnown}
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
          {...send.form.getInputProps('when')}
        />
        {isLater && <TextInput type="datetime-local" required label={TEXTS.at(OWN_ZONE)} {...send.form.getInputProps('at')} />}
        <Text size="sm" c="dimmed">
          {TEXTS.finally}
        </Text>
        {typed !== null && typed !== '' && (
          <TextInput label={TEXTS.typeNumber(typed)} autoComplete="off" {...send.form.getInputProps('typed')} />
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
