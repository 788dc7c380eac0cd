import { Code, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { queryClient, type RecordOf, useRecord, useRows } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { DataList } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { Json } from '../parts/Json'
import { shortDuration } from '../parts/numbers'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { DeliveryState } from './DeliveryState'
import { ReplayOne } from './WebhookEvents'

type WebhookEvent = RecordOf<'/webhooks/{webhook_id}/events/{webhook_event_id}'>

const FOLLOW_MS = 3_000
const isOnItsWay = ({ status }: WebhookEvent): boolean => status === 'pending' || status === 'attempting'

export default function WebhookEventPage() {
  const path = { webhook_id: useAddressPart('webhookId'), webhook_event_id: useAddressPart('eventId') }
  const may = useMay()
  const {
    data: event,
    error,
    refetch,
  } = useRecord('/webhooks/{webhook_id}/events/{webhook_event_id}', { path }, { everyMs: (read) => (isOnItsWay(read) ? FOLLOW_MS : null) })
  const { data: webhook } = useRecord('/webhooks/{webhook_id}', { path: { webhook_id: path.webhook_id } })
  if (!event) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={event.type}
      back={{ to: `/webhooks/${path.webhook_id}`, name: webhook?.endpoint ?? TEXTS.feedOnly }}
      state={<DeliveryState state={event.status} />}
      acts={
        may('webhooks:write') &&
        webhook?.status === 'enabled' &&
        webhook.endpoint !== null && <ReplayOne webhookId={path.webhook_id} eventId={event.id} size="sm" />
      }
    >
      <Section title={TEXTS.state}>
        <Facts
          facts={[
            [TEXTS.why, event.failed_reason],
            [TEXTS.nextAttempt, event.next_attempt_at && <Time key="next" at={event.next_attempt_at} />],
            [
              TEXTS.heldBy,
              event.held_by && (
                <PageLink key="held" to={`/webhooks/${path.webhook_id}/events/${event.held_by}`}>
                  {event.held_by}
                </PageLink>
              ),
            ],
            [TEXTS.happened, <Time key="happened" at={event.created_at} />],
            [TEXTS.about, subjectOf(event)],
            [TEXTS.id, <Copyable key="id" text={event.id} />],
          ]}
        />
      </Section>
      <Attempts path={path} event={event} />
      <Section title={TEXTS.payload}>
        {event.payload === null ? <Text c="dimmed">{TEXTS.noPayload}</Text> : <Json value={event.payload} label={TEXTS.payload} />}
      </Section>
    </Page>
  )
}

/** By the beginning of the type; `email.received` comes before the other types of emails. */
const SUBJECTS: readonly (readonly [beginning: string, kind: string, section: string, field: string])[] = [
  ['email.received', 'received email', 'received', 'email_id'],
  ['email.', 'email', 'emails', 'email_id'],
  ['contact.', 'contact', 'contacts', 'id'],
  ['topic.', 'topic', 'topics', 'id'],
  ['domain.', 'domain', 'domains', 'id'],
  ['automation.', 'automation', 'automations', 'id'],
  ['broadcast.', 'broadcast', 'broadcasts', 'id'],
]

/** Nothing for a sample, which is about no record, and for a record that was deleted. */
function subjectOf({ type, payload }: WebhookEvent) {
  const [, kind, section, field] = SUBJECTS.find(([beginning]) => type.startsWith(beginning)) ?? []
  if (!payload || payload.test || type.endsWith('.deleted') || field === undefined) return null
  const id = (payload.data as Readonly<Record<string, unknown>>)[field]
  return typeof id === 'string' && <PageLink to={`/${section}/${id}`}>{TEXTS.record(kind ?? '')}</PageLink>
}

/** Most errors name the status. */
const answerWords = (status: number | null, error: string | null): string =>
  [error?.includes(String(status)) ? null : status, error].filter(Boolean).join(' ')

function Attempts({ path, event }: { path: { webhook_id: string; webhook_event_id: string }; event: WebhookEvent }) {
  const everyMs = isOnItsWay(event) ? { everyMs: FOLLOW_MS } : {}
  const list = useRows('/webhooks/{webhook_id}/events/{webhook_event_id}/attempts', { path }, everyMs)
  // The attempt that decided it may have ended after they were read last.
  const read = useRef(event.status)
  useEffect(() => {
    if (read.current === event.status) return
    read.current = event.status
    void queryClient.invalidateQueries({ queryKey: ['webhooks'] })
  }, [event.status])
  return (
    <Section title={TEXTS.attempts}>
      <DataList
        label={TEXTS.attempts}
        list={list}
        empty={TEXTS.noAttempts}
        columns={[
          { name: TEXTS.outcome, cell: ({ outcome }) => <DeliveryState state={outcome} /> },
          {
            name: TEXTS.answer,
            cell: ({ http_status_code, error, response }) => (
              <Stack gap={2}>
                <Text size="sm">{answerWords(http_status_code, error)}</Text>
                {response !== '' && (
                  <Code block mah={160} style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                    {response}
                  </Code>
                )}
              </Stack>
            ),
          },
          {
            name: TEXTS.took,
            cell: ({ duration_ms }) => (duration_ms === null ? '–' : shortDuration(duration_ms)),
            isNumber: true,
            isWide: true,
          },
          { name: TEXTS.at, cell: ({ sent_at }) => <Time at={sent_at} />, isWide: true },
        ]}
      />
    </Section>
  )
}
