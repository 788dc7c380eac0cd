// Messages that wait to be acted upon; in SQL, because they are taken and settled in batches. Crosses teams: for workers.

import { type Database, type Execute, statement } from '../../db/database.ts'
import { append } from '../../db/outbox.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { idBound, idTime } from '../../lib/ids.ts'
import type { NewNotification } from '../../lib/notifications.ts'
import { advanceRecipients, type LaterChange, markRefused } from '../emails/recipient-states.repository.ts'
import { suppressedBySoftBounces } from '../emails/soft-bounces.repository.ts'
import type { InboundPurpose, InboundVerdict } from '../inbound/inbound-messages.repository.ts'
import { NO_SOFT_BOUNCES, type SoftBounceLimits } from '../suppressions/soft-bounces.ts'
import { addSuppressions, type NewSuppression } from '../suppressions/suppression-changes.repository.ts'
import type { SuppressionOrigin } from '../suppressions/suppressions.schema.ts'

export type WaitingMessage = {
  id: string
  purpose: InboundPurpose
  /** Whom the token of its return path names. */
  recipientId: string | null
  /** The address that it came to. */
  rcptTo: string
  blobKey: string
  bytes: number
  receivedAt: Date
  /** How often it was taken, this time included. */
  tries: number
  /** How often it was put off because its signature could not be judged yet. */
  postponed: number
}

/** `try`: the message may be why. `postponement`: each time it waits longer. */
export type PostponeOptions = { counts?: 'try' | 'postponement' }

/** What a message does to one recipient. */
export type Consequence = {
  change: LaterChange
  /** Null unless the address gets no more mail. */
  suppression: NewSuppression | null
  /** With the state: if this changes the state. Once: for the first time that mail to this recipient says so, whatever the state. */
  suppresses: 'withState' | 'once'
  /** The mail bounced for a reason that may pass. */
  isSoftBounce?: boolean
}

export type Conclusion = {
  messageId: string
  verdict: InboundVerdict
  /** What operators read. */
  detail: Record<string, unknown>
  /** The recipient that it is about, if there is one. */
  recipient: { teamId: string; recipientId: string } | null
  consequences: Consequence[]
  /** What is shown in the timeline of an email although it changes nothing. */
  answer: NewNotification<'email.answered'> | null
}

/** A message whose worker died is taken again after this time. Reading the largest takes seconds. */
const TAKEN_MS = 30_000
/** A complaint that was put off again and again. */
const POSTPONED_MS_MAX = 15 * 60 * 1_000
/** How many peers get a turn in one batch. The peer that has waited longest is first. */
const PEERS_MAX = 1_000
/** The limit for messages that are taken at once, because all that they say is in memory until they are acted upon. A larger one is taken alone. */
const TAKEN_BYTES_MAX = 16 * 1024 * 1024

/** @param softBounces after which of them an address is suppressed; never, unless given */
export function waitingMessageRepository(
  { execute, transaction }: Pick<Database, 'execute' | 'transaction'>,
  { softBounces = NO_SOFT_BOUNCES }: { softBounces?: SoftBounceLimits } = {},
) {
  return {
    /** The oldest of each peer first, then the next of each. No other worker gets them for a while. One that was taken before, and may have killed its worker, is taken alone. */
    takeAcrossTeams(limit: number, now: Date): Promise<WaitingMessage[]> {
      return execute<WaitingMessage>(TAKE, [limit, now, new Date(now.getTime() - TAKEN_MS), TAKEN_BYTES_MAX])
    },

    /** Leaves messages to the next worker that looks, as if they had not been taken. */
    async releaseAcrossTeams(ids: string[]): Promise<void> {
      await execute(RELEASE, [ids, null, 1, 0])
    },

    /** Leaves messages that could not be acted upon now for a while. */
    async postponeAcrossTeams(ids: string[], now: Date, { counts }: PostponeOptions = {}): Promise<void> {
      await execute(RELEASE, [ids, now, counts === 'try' ? 0 : 1, counts === 'postponement' ? 1 : 0])
    },

    /**
     * Acts upon messages, all or none of them. Those that another worker has settled meanwhile are left out, so that each is acted upon once.
     *
     * @returns the messages that were settled, and why addresses were suppressed.
     */
    settleAcrossTeams(conclusions: Conclusion[], now: Date): Promise<{ settled: Set<string>; suppressed: SuppressionOrigin[] }> {
      return transaction(
        async (inside) => {
          const locked = await inside<{ id: string }>(LOCK_WAITING, [conclusions.map(({ messageId }) => messageId)])
          const settled = new Set(locked.map(({ id }) => id))
          const suppressed = await act(
            inside,
            conclusions.filter(({ messageId }) => settled.has(messageId)),
            { softBounces, now },
          )
          return { settled, suppressed }
        },
        { plans: 'by index' },
      )
    },
  }
}

async function act(
  inside: Execute,
  conclusions: Conclusion[],
  { softBounces, now }: { softBounces: SoftBounceLimits; now: Date },
): Promise<SuppressionOrigin[]> {
  const consequences = conclusions.flatMap((one) => one.consequences)
  const changed = await advanceRecipients(
    inside,
    consequences.map(({ change }) => change),
    now,
  )
  const suppressing = consequences.flatMap(({ change: { recipientId }, suppression, suppresses }) =>
    suppression === null ? [] : [{ recipientId, suppression, suppresses }],
  )
  const refused = await markRefused(
    inside,
    suppressing.flatMap(({ recipientId, suppresses }) => (suppresses === 'once' ? [recipientId] : [])),
  )
  const soft = consequences.flatMap(({ change: { recipientId }, isSoftBounce }) => (isSoftBounce ? [recipientId] : []))
  const added = await addSuppressions(
    inside,
    [
      ...suppressing.flatMap(({ recipientId, suppression, suppresses }) =>
        (suppresses === 'once' ? refused : changed).has(recipientId) ? [suppression] : [],
      ),
      ...(await suppressedBySoftBounces(inside, soft, { limits: softBounces, now })),
    ],
    now,
  )
  await append(
    inside,
    await notYetAnswered(
      inside,
      conclusions.flatMap(({ answer }) => answer ?? []),
    ),
    now,
  )
  await inside(SETTLE, [
    JSON.stringify(conclusions.map(({ messageId, verdict, detail, recipient }) => ({ id: messageId, verdict, detail, ...recipient }))),
  ])
  return added.map(({ origin }) => origin)
}

/** Keeps the first answer of each kind for each recipient, so that a program that answers every mail does not fill the timeline. */
async function notYetAnswered(inside: Execute, answers: NewNotification<'email.answered'>[]): Promise<NewNotification<'email.answered'>[]> {
  if (answers.length === 0) return []
  const emailIds = answers.map(({ subjectId }) => subjectId)
  // Nothing happened to an email before it was accepted, so that older partitions need not be read. The clock may have been set back since.
  const firstMs = Math.min(...answers.flatMap(({ id, subjectId }) => [idTime(id).getTime(), idTime(subjectId).getTime()]))
  const since = idBound(Math.max(0, firstMs - CLOCKS_DIFFER_MS_MAX))
  const rows = await inside<{ emailId: string; to: string; kind: string }>(ANSWERED, [emailIds, since])
  const known = new Set(rows.map(({ emailId, to, kind }) => `${emailId} ${kind} ${to}`))
  return answers.filter(({ subjectId, data: { to, detail } }) => {
    const key = `${subjectId} ${detail.answer.kind} ${to[0]}`
    const isNew = !known.has(key)
    known.add(key)
    return isNew
  })
}

/** Between the clock of the process that accepted an email and that of this one. */
const CLOCKS_DIFFER_MS_MAX = DAY_MS

/**
 * The peers are read from their index, one after the other, from that of the oldest message on.
 *
 * @internal for tests: its plan.
 */
export const TAKE = statement(
  'take inbound messages',
  `
with recursive peers(peer, place) as (
  (select peer, 1 from inbound_messages where state = 'waiting' and (taken_at is null or taken_at < $3) order by id limit 1)
  union all
  select next.peer, place + 1 from peers p cross join lateral (
    select coalesce(
      (select m.peer from inbound_messages m where m.state = 'waiting' and m.peer > p.peer order by m.peer limit 1),
      (select m.peer from inbound_messages m where m.state = 'waiting' order by m.peer limit 1)
    ) as peer
  ) next where place < ${PEERS_MAX} and next.peer <> (
    select peer from inbound_messages where state = 'waiting' and (taken_at is null or taken_at < $3) order by id limit 1
  )
), ready as (
  select peer from peers p where exists (
    select from inbound_messages where state = 'waiting' and peer = p.peer and (taken_at is null or taken_at < $3)
  )
), shared as (
  select ceil($1::numeric / greatest(count(*), 1))::int as each from ready
), picked as (
  select m.id, m.bytes, m.tries, row_number() over (partition by p.peer order by m.id) as turn from ready p cross join lateral (
    select id, bytes, tries from inbound_messages
    where state = 'waiting' and peer = p.peer and (taken_at is null or taken_at < $3) order by id limit (select each from shared) for update skip locked
  ) m
), summed as (
  select id, tries, row_number() over in_turn as place, first_value(tries) over in_turn as first_tries,
    sum(bytes) over in_turn as bytes_so_far
  from picked window in_turn as (order by turn, id)
), taken as (
  update inbound_messages m set taken_at = $2, tries = m.tries + 1
  where m.id = any(array(
    select id from summed where place = 1 or (place <= $1 and bytes_so_far <= $4 and tries = 0 and first_tries = 0)
  )) returning m.*
)
select id, purpose, recipient_id as "recipientId", rcpt_to as "rcptTo", blob_key as "blobKey", bytes, received_at as "receivedAt", tries, postponed
from taken order by id`,
)

/** Locks in the order that is used elsewhere. */
const RELEASE = `
update inbound_messages set tries = tries - $3::int, postponed = postponed + $4::int, taken_at = $2::timestamptz + case
  when $4::int = 0 then interval '0' else make_interval(secs => least(${POSTPONED_MS_MAX / 1_000}, ${TAKEN_MS / 1_000} * 2 ^ least(postponed, 10)) - ${TAKEN_MS / 1_000}) end
where id in (select id from inbound_messages where id = any($1::uuid[]) and state = 'waiting' order by id for update)`

const LOCK_WAITING = statement(
  'lock waiting messages',
  `select id from inbound_messages where id = any($1::uuid[]) and state = 'waiting' order by id for update`,
)

/** @internal for tests: its plan. */
export const ANSWERED = statement(
  'answers of emails',
  `select distinct subject_id as "emailId", data->'to'->>0 as "to", data->'detail'->'answer'->>'kind' as kind
     from notifications where subject_id = any($1::uuid[]) and id >= $2::uuid and type = 'email.answered'`,
)

const SETTLE = statement(
  'settle inbound messages',
  `
update inbound_messages m set state = 'done', verdict = c.verdict, detail = c.detail, team_id = coalesce(c."teamId", m.team_id),
  recipient_id = coalesce(c."recipientId", m.recipient_id)
from jsonb_to_recordset($1::jsonb) as c(id uuid, verdict text, detail jsonb, "teamId" uuid, "recipientId" uuid) where m.id = c.id`,
)
