import { Alert, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { GroupBreakdown } from '../metrics/GroupBreakdown'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Loading } from '../parts/Loading'
import { countOf, OWN_ZONE } from '../parts/numbers'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'
import { METRIC_TEXTS } from '../texts/metrics'
import { PROGRESS_TEXTS } from '../texts/sending'
import { BroadcastActs } from './BroadcastActs'
import { BroadcastMessage } from './BroadcastMessage'
import { Funnel } from './Funnel'
import { RecipientSegment } from './RecipientSegment'
import { SendingProgress } from './SendingProgress'

const HoursChart = lazy(() => import('./HoursChart'))

type Broadcast = RecordOf<'/broadcasts/{broadcast_id}'>

/** While it is being sent, its numbers change. */
const SENDING_MS = 3_000

export default function BroadcastPage() {
  const id = useAddressPart('broadcastId')
  const may = useMay()
  const {
    data: broadcast,
    error,
    refetch,
    dataUpdatedAt,
  } = useRecord(
    '/broadcasts/{broadcast_id}',
    { path: { broadcast_id: id } },
    { everyMs: ({ status }) => (status === 'queued' || status === 'scheduled' ? SENDING_MS : null) },
  )
  if (error && !broadcast) return <Problem error={error} onRetry={() => void refetch()} />
  if (!broadcast) return <Loading />
  const { status, status_reason, scheduled_at, counts } = broadcast
  return (
    <Page
      title={broadcast.name}
      back={{ to: '/broadcasts', name: TEXTS.title }}
      state={<StateBadge state={status} />}
      acts={<BroadcastActs broadcast={broadcast} />}
    >
      {status_reason !== null && <Alert color="orange">{status_reason}</Alert>}
      {status === 'scheduled' && scheduled_at !== null && (
        <Alert color="blue">
          {TEXTS.scheduledFor} <Time at={scheduled_at} /> ({OWN_ZONE})
        </Alert>
      )}
      {(status === 'queued' || status === 'paused') && (
        <Section title={PROGRESS_TEXTS.title}>
          <SendingProgress broadcast={broadcast} readAt={dataUpdatedAt} />
        </Section>
      )}
      {status !== 'draft' && status !== 'scheduled' && (
        <Section
          title={TEXTS.funnel}
          acts={
            <>
              <OfItsEmails id={broadcast.id} />
              {may('broadcasts:write', 'segments:write', 'contacts:write') && <RecipientSegment broadcast={broadcast} />}
            </>
          }
        >
          <Funnel broadcastId={broadcast.id} counts={counts} />
        </Section>
      )}
      {counts.opened + counts.clicked > 0 && broadcast.sent_at !== null && (
        <Section title={TEXTS.hours}>
          <Suspense fallback={<Text c="dimmed">…</Text>}>
            <HoursChart broadcastId={broadcast.id} sentAt={broadcast.sent_at} />
          </Suspense>
        </Section>
      )}
      {counts.sent > 0 && may('emails:read') && (
        <Section title={METRIC_TEXTS.byProvider}>
          <GroupBreakdown by="provider" range={{ broadcast_id: broadcast.id }} title={METRIC_TEXTS.byProvider} hasChart={false} />
        </Section>
      )}
      <BroadcastMessage broadcast={broadcast} />
      <Section title={TEXTS.details}>
        <Details broadcast={broadcast} />
      </Section>
    </Page>
  )
}

const OfItsEmails = ({ id }: { id: string }) => (
  <PageLink to="/emails" search={{ broadcast_id: id }} size="sm">
    {TEXTS.itsEmails}
  </PageLink>
)

function Details({ broadcast }: { broadcast: Broadcast }) {
  const may = useMay()
  const { data: segments } = useRecord('/segments', undefined, { isEnabled: may('segments:read') })
  const { data: topics } = useRecord('/topics', { query: { limit: 100 } }, { isEnabled: may('topics:read') && broadcast.topic_id !== null })
  const segment = segments?.data.find((each) => each.id === broadcast.segment_id)
  const topic = topics?.data.find((each) => each.id === broadcast.topic_id)
  return (
    <Facts
      facts={[
        [TEXTS.from, broadcast.from],
        [TEXTS.replyTo, broadcast.reply_to],
        [
          TEXTS.segment,
          <PageLink key="segment" to={`/segments/${broadcast.segment_id}`}>
            {segment?.name ?? broadcast.segment_id}
          </PageLink>,
        ],
        [
          TEXTS.topic,
          broadcast.topic_id !== null && (
            <PageLink key="topic" to={`/topics/${broadcast.topic_id}`}>
              {topic?.name ?? broadcast.topic_id}
            </PageLink>
          ),
        ],
        [TEXTS.rate, broadcast.rate_per_hour !== null && TEXTS.rateOf(countOf(broadcast.rate_per_hour))],
        [TEXTS.created, <Time key="created" at={broadcast.created_at} />],
        [TEXTS.sent, broadcast.sent_at && <Time key="sent" at={broadcast.sent_at} />],
        ['Id', <Copyable key="id" text={broadcast.id} />],
      ]}
    />
  )
}
