import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { shortDuration } from '../parts/numbers'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { EMAIL_TEXTS as TEXTS } from '../texts/emails'
import { detailWords } from './detail-words'
import { type Attempt, type EmailEvent, type Recipient, recipientStates } from './recipient-states'

type Email = RecordOf<'/emails/{email_id}'>

/** More than most emails have of either. */
const READ_MAX = 100
/** It comes to rest by itself. */
const MOVING: ReadonlySet<string> = new Set(['queued', 'sent'])
const EVERY_MS = 3_000

/** What became of an email: each recipient, then the message itself, what happened when, and each attempt. */
export function Outcome({ email, children }: { email: Email; children: ReactNode }) {
  const parameters = { path: { email_id: email.id }, query: { limit: READ_MAX } }
  const reading = MOVING.has(email.last_event ?? '') ? { everyMs: EVERY_MS } : {}
  const events = useRows('/emails/{email_id}/events', parameters, reading)
  const attempts = useRows('/emails/{email_id}/attempts', parameters, reading)
  const { data: pending } = useRecord('/emails/{email_id}/deliveries', { path: { email_id: email.id } }, reading)
  const next = new Map(pending?.data.map((one) => [one.recipient.toLowerCase(), one]))
  const recipients = recipientStates(email, events.rows, attempts.rows)
  return (
    <>
      <Section title={TEXTS.recipients}>
        <DataList
          label={TEXTS.recipients}
          list={{ ...events, rows: recipients, hasMore: false }}
          columns={[
            { name: TEXTS.to, cell: (recipient) => <Address recipient={recipient} /> },
            { name: TEXTS.state, cell: ({ state }) => <StateBadge state={state} /> },
            { name: TEXTS.tries, cell: ({ tries }) => tries, isNumber: true, isWide: true },
            ...(next.size === 0 ? [] : [{ name: TEXTS.nextTry, cell: ({ id }: Recipient) => <NextTry pending={next.get(id)} /> }]),
          ]}
        />
        {recipients
          .filter(({ explanation }) => explanation !== null)
          .slice(0, EXPLAINED_MAX)
          .map((recipient) => (
            <Explained key={recipient.id} recipient={recipient} />
          ))}
      </Section>
      {children}
      <Section title={TEXTS.timeline}>
        <DataList
          label={TEXTS.timeline}
          list={events}
          empty={TEXTS.noEvents}
          columns={[
            { name: TEXTS.event, cell: ({ type }) => <StateBadge state={type.replace('email.', '')} /> },
            { name: TEXTS.what, cell: (event) => <Happened event={event} /> },
            { name: TEXTS.attempt.at, cell: ({ created_at: at }) => <Time at={at} /> },
          ]}
        />
      </Section>
      <Section title={TEXTS.attempts}>
        <DataList
          label={TEXTS.attempts}
          list={attempts}
          empty={TEXTS.noAttempts}
          columns={[
            { name: TEXTS.attempt.recipient, cell: ({ recipient }) => recipient, share: '30%' },
            { name: TEXTS.attempt.outcome, cell: ({ outcome }) => <StateBadge state={outcome} /> },
            { name: TEXTS.attempt.answer, cell: (attempt) => <Answer attempt={attempt} /> },
            { name: TEXTS.attempt.at, cell: ({ started_at: at }) => <Time at={at} />, isWide: true },
          ]}
        />
      </Section>
    </>
  )
}

/** The first ones; all others say the same, or stand among the attempts. */
const EXPLAINED_MAX = 5

function Address({ recipient: { id, mailbox } }: { recipient: Recipient }) {
  const may = useMay()
  if (!may('contacts:read')) return <bdi>{mailbox}</bdi>
  return (
    <PageLink to="/contacts" search={{ search: id }}>
      <bdi>{mailbox}</bdi>
    </PageLink>
  )
}

type Pending = RecordOf<'/emails/{email_id}/deliveries'>['data'][number]

function NextTry({ pending }: { pending: Pending | undefined }) {
  if (pending === undefined) return null
  return pending.due_at === null ? TEXTS.pending[pending.state] : <Time at={pending.due_at} />
}

const Explained = ({ recipient: { id, state, explanation, advice } }: { recipient: Recipient }) => (
  <Alert color={state === 'delivery_delayed' ? 'orange' : 'red'} title={<bdi>{id}</bdi>}>
    <Stack gap="xs">
      <Text>{explanation}</Text>
      {advice && (
        <Text>
          <b>{TEXTS.whatToDo}</b> {advice}
        </Text>
      )}
    </Stack>
  </Alert>
)

const Happened = ({ event: { to, detail, explanation } }: { event: EmailEvent }) => (
  <Stack gap={0}>
    <bdi>{to?.join(', ')}</bdi>
    {detail && <Dimmed>{explanation ?? detailWords(detail)}</Dimmed>}
  </Stack>
)

/** What the server said, and which it was. */
const Answer = ({ attempt: { code, enhanced_code: enhanced, text, host, tls, duration_ms: ms } }: { attempt: Attempt }) => (
  <Stack gap={0}>
    <bdi>{[code, enhanced, text].filter((part) => part !== null && part !== '').join(' ')}</bdi>
    <Dimmed>{[host, tls, ms === null ? null : shortDuration(ms)].filter(Boolean).join(', ')}</Dimmed>
  </Stack>
)
