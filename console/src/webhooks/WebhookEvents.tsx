import { Button, SegmentedControl, Select, Text } from '@mantine/core'
import { RotateCcw } from 'lucide-react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRows } from '../api/queries'
import { DataList } from '../parts/DataList'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { DeliveryState } from './DeliveryState'

type Webhook = RecordOf<'/webhooks/{webhook_id}'>

const SHOWN = ['all', 'failed', 'pending', 'success'] as const
const HOUR_MS = 3_600_000
const SPANS = { all: null, hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const
type Span = keyof typeof SPANS
const FOLLOW_MS = 10_000

/** What the webhook was told, with those that failed one click away. */
export function WebhookEvents({ webhook }: { webhook: Webhook }) {
  const may = useMay()
  const [{ status }, setFilters] = useFilters(['status'])
  const list = useRows(
    '/webhooks/{webhook_id}/events',
    { path: { webhook_id: webhook.id }, ...(status !== undefined && { query: { status: status as 'failed' } }) },
    { everyMs: FOLLOW_MS },
  )
  const mayReplay = may('webhooks:write') && webhook.endpoint !== null && webhook.status === 'enabled'
  return (
    <Section title={TEXTS.events} acts={mayReplay && <ReplayAll webhookId={webhook.id} />}>
      <SegmentedControl
        aria-label={TEXTS.state}
        data={SHOWN.map((value) => ({ value, label: TEXTS.statuses[value] }))}
        value={status ?? 'all'}
        onChange={(value) => setFilters({ status: value === 'all' ? '' : value })}
        w="fit-content"
      />
      <DataList
        label={TEXTS.events}
        list={list}
        to={({ id }) => `/webhooks/${webhook.id}/events/${id}`}
        isFiltered={status !== undefined}
        empty={TEXTS.noEvents}
        columns={[
          { name: TEXTS.event, cell: ({ type }) => type },
          { name: TEXTS.state, cell: ({ status: state }) => <DeliveryState state={state} /> },
          { name: TEXTS.happened, cell: ({ created_at }) => <Time at={created_at} />, isAside: true },
          ...(mayReplay
            ? [
                {
                  name: TEXTS.replay,
                  cell: ({ id, type, status: state }: { id: string; type: string; status: string }) =>
                    state === 'failed' && <ReplayOne webhookId={webhook.id} eventId={id} label={`${TEXTS.replay}: ${type} ${id}`} />,
                  isWide: true,
                },
              ]
            : []),
        ]}
      />
    </Section>
  )
}

type ReplayOneProps = {
  webhookId: string
  eventId: string
  size?: string
  /** Names the event where there are several such buttons. */
  label?: string
}

export function ReplayOne({ webhookId, eventId, size = 'compact-xs', label }: ReplayOneProps) {
  const replay = useAct({
    run: () =>
      answer(
        api.POST('/webhooks/{webhook_id}/events/{webhook_event_id}/replay', {
          params: { path: { webhook_id: webhookId, webhook_event_id: eventId } },
        }),
      ),
    done: TEXTS.replayed,
    changes: ['webhooks'],
  })
  return (
    <Button size={size} variant="default" onClick={() => replay.mutate()} loading={replay.isPending} aria-label={label}>
      {TEXTS.replay}
    </Button>
  )
}

function ReplayAll({ webhookId }: { webhookId: string }) {
  const replay = useDialogForm({
    initialValues: { span: 'all' },
    run: ({ span }: { span: Span }) => {
      const backMs = SPANS[span]
      const query = backMs === null ? {} : { since: new Date(Date.now() - backMs).toISOString() }
      return answer(api.POST('/webhooks/{webhook_id}/replay', { params: { path: { webhook_id: webhookId }, query } }))
    },
    done: ({ queued, has_more }) => TEXTS.queued(queued, has_more),
    changes: ['webhooks'],
  })
  return (
    <>
      <Button size="xs" variant="default" leftSection={<RotateCcw size={14} />} onClick={replay.open}>
        {TEXTS.replayAll}
      </Button>
      <FormDialog title={TEXTS.replayAll} {...replay.dialog} act={TEXTS.replay}>
        <Text size="sm">{TEXTS.replayAllHint}</Text>
        <Select
          label={TEXTS.replaySince}
          data={Object.keys(SPANS).map((value) => ({ value, label: TEXTS.spans[value as Span] }))}
          allowDeselect={false}
          {...replay.form.getInputProps('span')}
        />
      </FormDialog>
    </>
  )
}
