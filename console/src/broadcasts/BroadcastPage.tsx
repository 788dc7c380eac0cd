import { Alert, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { orCounted, useTracked } from '../domains/tracked'
import { GroupBreakdown } from '../metrics/GroupBreakdown'
import { Awaited } from '../parts/Awaited'
import { domainIn } from '../parts/addresses'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { SegmentName, TopicName } from '../parts/names'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { ZonedTime } from '../parts/ZonedTime'
import { useMay } from '../session/me'
import { useAddressPart, useFilters } from '../shell/address'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'
import { METRIC_TEXTS } from '../texts/metrics'
import { PROGRESS_TEXTS } from '../texts/sending'
import { BroadcastActs } from './BroadcastActs'
import { BroadcastMessage } from './BroadcastMessage'
import { BroadcastVersions, VersionMessage } from './BroadcastVersions'
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
  const [{ version = null }, setFilters] = useFilters(['version'])
  const show = (versionId: string | null) => setFilters({ version: versionId ?? '' })
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
  const trackedOf = useTracked()
  if (!broadcast) return <Awaited read={{ error, refetch }} />
  const { status, status_reason, scheduled_at, timezone, counts } = broadcast
  const sender = trackedOf(domainIn(broadcast.from))
  const domain = { ...sender, tracked: orCounted(sender.tracked, { opens: counts.opened, clicks: counts.clicked }) }
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
          {TEXTS.scheduledFor} <ZonedTime at={scheduled_at} zone={timezone} /> {TEXTS.scheduledTo}{' '}
          <PageLink to={`/segments/${broadcast.segment_id}`} c="inherit" td="underline">
            <SegmentName id={broadcast.segment_id} />
          </PageLink>
          .
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
              {may('broadcasts:write', 'segments:write', 'contacts:write') && (
                <RecipientSegment broadcast={broadcast} tracked={domain.tracked} />
              )}
            </>
          }
        >
          <Funnel broadcastId={broadcast.id} counts={counts} isUnderWay={status === 'queued' || status === 'paused'} domain={domain} />
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
          <GroupBreakdown
            by="provider"
            range={{ broadcast_id: broadcast.id }}
            title={METRIC_TEXTS.byProvider}
            hasChart={false}
            tracked={domain.tracked}
          />
        </Section>
      )}
      {version === null ? (
        <BroadcastMessage broadcast={broadcast} />
      ) : (
        <VersionMessage key={version} broadcastId={broadcast.id} versionId={version} onShowNewest={() => show(null)} />
      )}
      <BroadcastVersions broadcast={broadcast} shownId={version} onShow={show} />
      <Section title={TEXTS.details}>
        <Details broadcast={broadcast} />
      </Section>
    </Page>
  )
}

const OfItsEmails = ({ id }: { id: string }) => (
  <PageLink onlyLeads to="/emails" search={{ broadcast_id: id }} size="sm">
    {TEXTS.itsEmails}
  </PageLink>
)

function Details({ broadcast }: { broadcast: Broadcast }) {
  return (
    <Facts
      facts={[
        [TEXTS.from, broadcast.from],
        [TEXTS.replyTo, broadcast.reply_to],
        [
          TEXTS.segment,
          <PageLink key="segment" to={`/segments/${broadcast.segment_id}`}>
            <SegmentName id={broadcast.segment_id} />
          </PageLink>,
        ],
        [
          TEXTS.topic,
          broadcast.topic_id !== null && (
            <PageLink key="topic" to={`/topics/${broadcast.topic_id}`}>
              <TopicName id={broadcast.topic_id} />
            </PageLink>
          ),
        ],
        [TEXTS.rate, broadcast.rate_per_hour !== null && TEXTS.rateOf(countOf(broadcast.rate_per_hour))],
        [TEXTS.created, <Time key="created" at={broadcast.created_at} />],
        [TEXTS.scheduled, broadcast.scheduled_at && <ZonedTime key="scheduled" at={broadcast.scheduled_at} zone={broadcast.timezone} />],
        [TEXTS.sent, broadcast.sent_at && <Time key="sent" at={broadcast.sent_at} />],
        ['Id', <Copyable key="id" text={broadcast.id} />],
      ]}
    />
  )
}
