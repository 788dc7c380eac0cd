// Makes the emails of a broadcast from its audience, some thousands at a time: emails, recipients, deliveries and how far it got, in one transaction;
// in SQL, because rows are made of rows. For workers.

import type { DeliveryMode } from '../../config/sending.ts'
import { type Database, type Execute, PLANS_AS_USUAL, statement } from '../../db/database.ts'
import { append } from '../../db/outbox.ts'
import { type Clock, HOUR_MS } from '../../lib/clock.ts'
import { createId, HIGHEST_ID, idBound, LOWEST_ID } from '../../lib/ids.ts'
import { WHITE_SPACE } from '../../lib/text.ts'
import {
  type ContactField,
  FILLED_SUBJECT_LENGTH_MAX,
  type SubjectPart,
  UNSAFE_IN_SUBJECT,
} from '../../mail/rendering/contact-placeholders.ts'
import { type Audience, nextStretch } from '../audience/segments/audience.repository.ts'
import { isIn } from '../delivery/queue/lanes.repository.ts'
import { releaseEmails } from '../emails/emails-of-broadcasts.repository.ts'
import { RELAY_DESTINATION } from '../emails/new-delivery.ts'
import type { SuppressionOrigin } from '../suppressions/suppressions.schema.ts'
import { type DueBroadcast, holdBroadcast } from './due-broadcasts.repository.ts'

export type FanOut = {
  broadcast: DueBroadcast
  audience: Pick<Audience, 'segment' | 'topic'>
  subject: SubjectPart[]
  /** What each email stores of its contact. */
  fields: ContactField[]
  fromDomain: string
  delivery: DeliveryMode
  /** What `email.suppressed` says. */
  suppressedDetail: (origin: SuppressionOrigin) => object
  contactsMax: number
  /** How many emails it makes at most, for which the limits of the team have room; null: no limit. */
  emailsMax: number | null
}

/** `busy`: another worker has it, or it is not being sent any longer. `dueAt`: its rate lets no one through before. */
export type FannedOut = 'busy' | 'more' | 'all' | { dueAt: Date }

/** For the statement that makes the emails of a batch, and the queries before it. */
const BATCH_MS_MAX = 15_000
/** With a rate, recipients of this time are let through together. */
const PACE_MS = 1_000
/** Time without a worker is not made up for, unless it is so short that a look may only have been late. */
const MADE_UP_MS_MAX = 2 * PACE_MS
/** With a rate, emails of so much time may wait to be begun. If more did, they would be a burst once the mail server is back or the queue is resumed. */
const WAITING_MS_MAX = 10_000
/** At least so many may wait, however low the rate is. Without a relay several in a row may be for one busy destination, which must not hold up the others. */
const WAITING_MIN: Record<DeliveryMode, number> = { relay: 2, direct: 20, capture: 20 }

type Held = {
  startedAt: Date | null
  reachedAt: Date | null
  pacedAt: Date | null
  reachedContactId: string | null
  recipientCount: number
  ratePerHour: number | null
}

type Made = { count: number; last: string | null; suppressed: { emailId: string; email: string; origin: SuppressionOrigin }[] }

export function fanOutRepository({ transaction }: Pick<Database, 'transaction'>, { clock }: { clock: Clock }) {
  return {
    /** Makes the emails of the next contacts. */
    next(teamId: string, fanOut: FanOut): Promise<FannedOut> {
      return transaction(async (inside) => {
        await inside(`set transaction isolation level repeatable read; set local statement_timeout = ${BATCH_MS_MAX}`)
        const held = await holdBroadcast<Held>(inside, fanOut.broadcast, HELD)
        if (!held) return 'busy'
        const now = clock.now()
        const startedAt = held.startedAt ?? now
        const pace = nextPace(held, now)
        if (pace.recipientsMax === 0 || (await isHeldBack(inside, teamId, fanOut, held))) {
          await inside('update broadcasts set started_at = $2, paced_at = $3, due_at = $4 where id = $1', [
            fanOut.broadcast.id,
            startedAt,
            pace.pacedAt,
            pace.nextAt,
          ])
          return { dueAt: pace.nextAt }
        }
        const audience = { ...fanOut.audience, after: held.reachedContactId ?? LOWEST_ID, upTo: idBound(startedAt.getTime() + 1) }
        const room = fanOut.emailsMax === null ? Number.MAX_SAFE_INTEGER : fanOut.emailsMax - held.recipientCount
        const recipientsMax = Math.min(pace.recipientsMax, room)
        const stretch =
          room <= 0 ? null : await nextStretch(inside, teamId, audience, { contactsMax: fanOut.contactsMax, suppressed: 'marked' })
        // Ids of later emails are greater, also if the clock was set back.
        const at = new Date(Math.max(now.getTime(), held.reachedAt?.getTime() ?? 0))
        const made = stretch
          ? await make(inside, teamId, { ...fanOut, ...pace, recipientsMax, query: stretch, at, now, placesTaken: held.recipientCount })
          : { count: 0, last: null, suppressed: [] }
        await inside(PLANS_AS_USUAL)
        await appendSuppressed(inside, teamId, { made, detailOf: fanOut.suppressedDetail, now })
        const isCut = made.count === recipientsMax
        const reached = stretch === null ? held.reachedContactId : isCut ? made.last : stretch.through
        const pacedAt = pace.intervalMs === null ? null : new Date(pace.pacedAt.getTime() + Math.ceil(made.count * pace.intervalMs))
        await inside(UPDATE, [fanOut.broadcast.id, startedAt, reached, at, pacedAt, made.count, stretch === null, now])
        return stretch === null ? 'all' : 'more'
      })
    },
  }
}

const HELD = `started_at as "startedAt", reached_at as "reachedAt", paced_at as "pacedAt", reached_contact_id as "reachedContactId",
  recipient_count as "recipientCount", rate_per_hour as "ratePerHour"`

const UPDATE = `
update broadcasts set started_at = $2, reached_contact_id = $3, reached_at = $4, paced_at = $5, recipient_count = recipient_count + $6, is_fanned_out = $7,
  due_at = $8, status_reason = null where id = $1`

type Pace = { recipientsMax: number; intervalMs: number | null; pacedAt: Date; nextAt: Date }

/** How many may be let through now. */
function nextPace({ ratePerHour, pacedAt }: Held, now: Date): Pace {
  const nowMs = now.getTime()
  if (ratePerHour === null) return { recipientsMax: Number.MAX_SAFE_INTEGER, intervalMs: null, pacedAt: now, nextAt: now }
  const intervalMs = HOUR_MS / ratePerHour
  const fromMs = Math.max(pacedAt?.getTime() ?? nowMs - intervalMs, nowMs - Math.max(MADE_UP_MS_MAX, intervalMs))
  const recipientsMax = Math.floor((nowMs - fromMs) / intervalMs)
  return {
    recipientsMax,
    intervalMs,
    pacedAt: new Date(fromMs),
    nextAt: new Date(Math.max(fromMs + intervalMs, nowMs + Math.min(PACE_MS, intervalMs))),
  }
}

/** Time that passes meanwhile is lost. */
async function isHeldBack(inside: Execute, teamId: string, { broadcast, delivery }: FanOut, { ratePerHour }: Held): Promise<boolean> {
  if (ratePerHour === null) return false
  const count = Math.max(WAITING_MIN[delivery], Math.ceil((ratePerHour * WAITING_MS_MAX) / HOUR_MS))
  const waiting = await inside<{ id: string }>(WAITING_OF_NEWEST, [broadcast.id, count])
  // One that a worker held just when the broadcast was resumed.
  if (waiting.length > 0)
    await releaseEmails(
      inside,
      waiting.map((email) => email.id),
    )
  if (waiting.length === count) return true
  const pauses = await inside(PAUSE_OF_ALL, [teamId, delivery === 'relay' ? RELAY_DESTINATION : null])
  return pauses.length > 0
}

/** Whether an operator has paused all mail of the broadcast: its class, its team, or with a relay its only destination. */
const PAUSE_OF_ALL = `
select from (select 'bulk' as class, $1::uuid as team_id, $2::text as destination) mail, queue_pauses p where ${isIn('mail', 'p')} limit 1`

// The newest ones, because a destination that is paused is not to hold up all others. A broadcast as a range: see `ofStates` of its recipients.
const WAITING_OF_NEWEST = statement(
  'waiting emails of a paced broadcast',
  `
select id from (
  select id, state, last_event from emails
  where broadcast_id is not null and (broadcast_id, id) >= ($1::uuid, '${LOWEST_ID}') and (broadcast_id, id) <= ($1::uuid, '${HIGHEST_ID}')
  order by broadcast_id desc, id desc limit $2
) newest where state = 'queued' and last_event = 'queued'`,
)

type Making = FanOut & Pace & { query: { text: string; values: unknown[] }; at: Date; now: Date; placesTaken: number }

async function make(inside: Execute, teamId: string, making: Making): Promise<Made> {
  const { broadcast, query, at, now, recipientsMax, placesTaken, subject, fields, fromDomain, delivery } = making
  const values = [...query.values]
  const add = (value: unknown, type: string) => `$${values.push(value)}::${type}`
  const [team, madeAt, id] = [add(teamId, 'uuid'), add(now, 'timestamptz'), add(broadcast.id, 'uuid')]
  const newId = `uuidv7_at(${add(at, 'timestamptz')}, place)`
  const [row] = await inside<Made>(
    `
with audience as materialized (${query.text} limit ${add(Math.min(recipientsMax, making.contactsMax), 'int')}
), placed as (
  select *, ${add(placesTaken, 'int')} + row_number() over (order by id) as place from audience
), made as materialized (
  select *, ${newId} as email_id, ${newId} as recipient_id, case when "suppressedBy" is null then 'queued' else 'suppressed' end as state
  from placed
), stored_emails as (
  insert into emails (id, team_id, state, last_event, from_domain, "from", "to", reply_to, subject, content_bytes, created_at, final_at,
    topic_id, broadcast_id, contact_id, merge_values)
  select m.email_id, ${team}, 'queued', m.state, ${add(fromDomain, 'text')}, b."from", array[m.email], nullif(b.reply_to, '{}'),
    ${subjectSql(subject, add)}, b.content_bytes, ${madeAt}, case when m.state = 'suppressed' then ${madeAt} end, b.topic_id, b.id, m.id,
    ${mergeSql(fields, add)}
  from made m, (select * from broadcasts where id = ${id}) b
), counted as (
  insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
  select ${team}, email_count_bucket(${madeAt}), ${add(fromDomain, 'text')}, ${id}, 'received', count(*) from made having count(*) > 0
), stored_recipients as (
  insert into recipients (id, team_id, email_id, address, state) select recipient_id, ${team}, email_id, email, state from made
), stored_deliveries as (
  insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
  select recipient_id, ${team}, 'bulk', ${delivery === 'relay' ? add(RELAY_DESTINATION, 'text') : `substring(email from '[^@]*$')`}, email_id, ${madeAt}, true
  from made where state = 'queued'
)
select count(*)::int as count, (array_agg(id order by id desc))[1] as last,
  coalesce(jsonb_agg(jsonb_build_object('emailId', email_id, 'email', email, 'origin', "suppressedBy")) filter (where state = 'suppressed'), '[]') as suppressed
from made`,
    values,
  )
  return row ?? { count: 0, last: null, suppressed: [] }
}

type Add = (value: unknown, type: string) => string

function valueSql(field: ContactField, add: Add): string {
  if (typeof field === 'number') return `m.properties ->> ${add(String(field), 'text')}`
  return { email: 'm.email', firstName: 'm."firstName"', lastName: 'm."lastName"' }[field]
}

/** Builds in SQL what `filledSubject` returns for one contact. */
function subjectSql(parts: SubjectPart[], add: Add): string {
  const texts = parts.map((part) => {
    if (typeof part === 'string') return add(part, 'text')
    return `regexp_replace(coalesce(${filledSql(valueSql(part.field, add), add)}, ${add(part.fallback, 'text')}), ${add(UNSAFE_IN_SUBJECT, 'text')}, ' ', 'g')`
  })
  return texts.length === 0 ? `''` : `left(array_to_string(array[${texts.join(', ')}], ''), ${FILLED_SUBJECT_LENGTH_MAX})`
}

/** Null if the text is blank, as `isBlank` says. */
const filledSql = (text: string, add: Add): string => `case when btrim(${text}, ${add(WHITE_SPACE, 'text')}) <> '' then ${text} end`

function mergeSql(fields: ContactField[], add: Add): string {
  const pairs = fields.map((field) => {
    const value = typeof field === 'number' ? `m.properties -> ${add(String(field), 'text')}` : `to_jsonb(${valueSql(field, add)})`
    return `${add(String(field), 'text')}, ${value}`
  })
  const objects = Array.from(
    { length: Math.ceil(pairs.length / PAIRS_MAX) },
    (_, index) => `jsonb_build_object(${pairs.slice(index * PAIRS_MAX, (index + 1) * PAIRS_MAX).join(', ')})`,
  )
  return objects.length === 0 ? `'{}'` : `jsonb_strip_nulls(${objects.join(' || ')})`
}

/** PostgreSQL takes at most 100 arguments. */
const PAIRS_MAX = 50

/** Members who are suppressed are among the recipients, and get nothing. */
async function appendSuppressed(
  inside: Execute,
  teamId: string,
  { made, detailOf, now }: { made: Made; detailOf: FanOut['suppressedDetail']; now: Date },
): Promise<void> {
  const notifications = made.suppressed.map(({ emailId, email, origin }) => ({
    id: createId(),
    teamId,
    type: 'email.suppressed' as const,
    subjectId: emailId,
    data: { to: [email], detail: { suppressed: detailOf(origin) } },
  }))
  await append(inside, notifications, now)
}
