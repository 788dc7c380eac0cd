// The engine's own table; in SQL, because work is claimed, begun and settled in bulk here, by prepared statements. Every function crosses teams, for
// workers.

import { rowArrays } from '../../../db/columns.ts'
import { type Database, statement } from '../../../db/database.ts'
import { IS_NOT_HELD } from '../../../db/held.ts'
import type { HeldWork } from '../../../db/leases/worker-leases.repository.ts'
import { NOTIFICATION_COLUMNS, notificationColumns, notificationRows } from '../../../db/outbox.ts'
import { CLAIMS_BEFORE_SUSPICION } from '../../../lib/limits/claims.ts'
import type { NewNotification } from '../../../lib/notifications.ts'
import { isOfStoppedTeam } from '../../accounts/teams/team-states.sql.ts'
import { RECIPIENT_STATE_PRECEDENCE, type RecipientState } from '../../emails/email-states.ts'
import type { StoredAttemptOutcome } from '../../emails/email-timeline.schema.ts'
import type { LaneClass } from '../../emails/new-delivery.ts'
import { LOCK_EMAILS, lastEvents, markRefused, OPEN_DELIVERIES } from '../../emails/recipient-states.repository.ts'
import { suppressedBySoftBounces } from '../../emails/soft-bounces.repository.ts'
import { isPausedByGuard } from '../../limits/reputation.sql.ts'
import { NO_SOFT_BOUNCES, type SoftBounceLimits } from '../../suppressions/soft-bounces.ts'
import { addSuppressions, type NewSuppression } from '../../suppressions/suppression-changes.repository.ts'
import type { SuppressionOrigin } from '../../suppressions/suppressions.schema.ts'
import type { Allotment } from '../lanes.ts'
import { isIn } from './lanes.repository.ts'

/** A delivery that this worker has claimed, with what it needs to know before it loads the email. */
export type ClaimedDelivery = {
  /** That of its recipient. */
  id: string
  teamId: string
  emailId: string
  class: LaneClass
  destination: string
  claims: number
  /** How often it was delayed before. */
  delays: number
  address: string
  attemptCount: number
  recipientState: RecipientState
  contentBytes: number
}

export type BegunAttempt = { deliveryId: string; attemptId: string; sentNotification: NewNotification }

export type AttemptOutcome = Exclude<StoredAttemptOutcome, 'unknown'>

/** What is known once a delivery was tried, or once it is clear that it will not be. */
export type Settlement = {
  deliveryId: string
  emailId: string
  /** Null if nothing was tried: suppressed, or failed before the first attempt. */
  attempt: {
    id: string
    outcome: AttemptOutcome
    host: string | null
    tls: string | null
    code: number | null
    enhancedCode: string | null
    text: string | null
    durationMs: number
  } | null
  /** The recipient's new state, and the states that it may replace. Null if the state does not change. */
  state: { to: RecipientState; from: RecipientState[] } | null
  /** When to retry; null if the work has ended. */
  retryAt: Date | null
  /** Written if the recipient's state changes. */
  notifications: NewNotification[]
  /** If the recipient's server says that the address does not exist. */
  suppression?: NewSuppression
  /** The mail bounced for a reason that may pass. */
  isSoftBounce?: boolean
}

/** @param softBounces after which of them an address is suppressed; never, unless given */
export function deliveryRepository(
  { execute, transaction }: Pick<Database, 'execute' | 'transaction'>,
  { softBounces = NO_SOFT_BOUNCES }: { softBounces?: SoftBounceLimits } = {},
) {
  const byIndex: Database['transaction'] = (work) => transaction(work, { plans: 'by index' })

  return {
    /** Claims ready deliveries of these lanes, the oldest of each first. */
    claim(workerId: string, allotments: Allotment[]): Promise<ClaimedDelivery[]> {
      const values = [
        workerId,
        allotments.map((one) => one.class),
        allotments.map(({ teamId }) => teamId),
        allotments.map(({ destination }) => destination),
        allotments.map(({ count }) => count),
      ]
      // Otherwise it reads and sorts a whole lane, if the queue was short when PostgreSQL last looked.
      return byIndex((inside) => inside<ClaimedDelivery>(CLAIM, values, { isLast: true }))
    },

    /** Claims one due delivery that was claimed several times without an outcome, unless it is paused, because this bypasses the lanes. */
    claimSuspect(workerId: string, now: Date): Promise<ClaimedDelivery[]> {
      return execute<ClaimedDelivery>(CLAIM_SUSPECT, [workerId, now])
    },

    /**
     * Opens an attempt for each delivery that may still be tried: it is ours, its email is neither canceled nor due later, and its recipient has no
     * final state. The others are dropped or rescheduled.
     *
     * @returns ids of the deliveries whose attempt is open now.
     */
    async begin(workerId: string, attempts: BegunAttempt[], now: Date): Promise<Set<string>> {
      return byIndex(async (inside) => {
        const deliveryIds = attempts.map(({ deliveryId }) => deliveryId)
        const values = [
          workerId,
          now,
          RECIPIENT_STATE_PRECEDENCE,
          deliveryIds,
          attempts.map(({ attemptId }) => attemptId),
          ...SENT_NOTIFICATIONS.values(
            attempts.flatMap(({ deliveryId, sentNotification }) => rowsOfDelivery(deliveryId, [sentNotification], now)),
          ),
        ]
        const [, begun] = await Promise.all([
          inside(LOCK_EMAILS_OF_DELIVERIES, [deliveryIds]),
          inside<{ deliveryId: string }>(BEGIN, values, { isLast: true }),
        ])
        return new Set(begun.map(({ deliveryId }) => deliveryId))
      })
    },

    /**
     * Writes outcomes. They are facts, and are recorded even if another worker has the lease. Only removing or rescheduling the delivery needs it.
     *
     * @returns why addresses were suppressed, for each.
     */
    async settle(workerId: string, settlements: Settlement[], now: Date): Promise<{ suppressed: SuppressionOrigin[] }> {
      return byIndex(async (inside) => {
        const refusing = settlements.flatMap(({ deliveryId, suppression }) => (suppression ? [{ deliveryId, suppression }] : []))
        const soft = settlements.flatMap(({ deliveryId, isSoftBounce }) => (isSoftBounce ? [deliveryId] : []))
        const suppressesNone = refusing.length === 0 && (soft.length === 0 || softBounces.bounces === 0)
        const values = [
          workerId,
          now,
          RECIPIENT_STATE_PRECEDENCE,
          settlements.flatMap(({ attempt }) => (attempt ? [attempt.id] : [])),
          ...SETTLED.values(settlements.map(settledRow)),
          ...SETTLED_NOTIFICATIONS.values(
            settlements.flatMap(({ deliveryId, notifications }) => rowsOfDelivery(deliveryId, notifications, now)),
          ),
        ]
        await Promise.all([
          inside(LOCK_EMAILS, [[...new Set(settlements.map(({ emailId }) => emailId))]]),
          inside(SETTLE, values, { isLast: suppressesNone }),
        ])
        if (suppressesNone) return { suppressed: [] }
        const refused = await markRefused(
          inside,
          refusing.map(({ deliveryId }) => deliveryId),
        )
        const added = await addSuppressions(
          inside,
          [
            ...refusing.flatMap(({ deliveryId, suppression }) => (refused.has(deliveryId) ? [suppression] : [])),
            ...(await suppressedBySoftBounces(inside, soft, { limits: softBounces, now })),
          ],
          now,
        )
        return { suppressed: added.map(({ origin }) => origin) }
      })
    },

    /** What this worker has claimed and not settled. */
    async heldBy(workerId: string): Promise<string[]> {
      const rows = await execute<{ id: string }>(HELD, [workerId])
      return rows.map(({ id }) => id)
    },

    /**
     * Releases what was claimed and not tried. An attempt may be open nevertheless, if the answer to `begin` was lost but not the commit. With
     * `isClaimCounted`, the claim counts as one without an outcome.
     */
    async release(workerId: string, deliveryIds: string[], now: Date, { isClaimCounted = false } = {}): Promise<void> {
      await execute(RELEASE, [workerId, deliveryIds, now, isClaimCounted ? 0 : 1])
    },
  }
}

const rowsOfDelivery = (deliveryId: string, notifications: NewNotification[], now: Date) =>
  notificationRows(notifications, now).map((row) => ({ ...row, deliveryId }))

/** What was not tried has neither an attempt nor its outcome. */
const settledRow = ({ deliveryId, emailId, retryAt, attempt, state }: Settlement) => ({
  deliveryId,
  emailId,
  retryAt,
  attemptId: attempt?.id,
  outcome: attempt?.outcome,
  host: attempt?.host,
  tls: attempt?.tls,
  code: attempt?.code,
  enhancedCode: attempt?.enhancedCode,
  text: attempt?.text,
  durationMs: attempt?.durationMs,
  toState: state?.to,
  fromStates: state?.from,
})

const NOTIFICATIONS_OF_DELIVERIES = { deliveryId: 'uuid' as const, ...NOTIFICATION_COLUMNS }
const SENT_NOTIFICATIONS = rowArrays(NOTIFICATIONS_OF_DELIVERIES, 6)
const SETTLED = rowArrays(
  {
    ...{ deliveryId: 'uuid', emailId: 'uuid', attemptId: 'uuid', outcome: 'text', host: 'text', tls: 'text', code: 'int' },
    ...{ enhancedCode: 'text', text: 'text', durationMs: 'int', toState: 'text', fromStates: 'text[]', retryAt: 'timestamptz' },
  },
  5,
)
const SETTLED_NOTIFICATIONS = rowArrays(NOTIFICATIONS_OF_DELIVERIES, SETTLED.next)

// As an array, because PostgreSQL takes an unknown limit for a tenth of the table, and would read whole tables to join that many rows.
const TAKE = `
taken as (
  update deliveries d set leased_by = $1, claims = d.claims + 1 where d.id = any(array(select id from picked)) returning d.*
)
select t.id, t.team_id as "teamId", t.email_id as "emailId", t.class, t.destination, t.claims, t.delays, r.address,
  r.attempt_count as "attemptCount", r.state as "recipientState", e.content_bytes as "contentBytes"
from taken t join recipients r on r.id = t.id join emails e on e.id = t.email_id order by t.id`

// A lane as a range instead of three equalities, because only deliveries_ready_idx has that order. With equalities the primary key has it too. If
// one lane has most of the rows, PostgreSQL would choose that, and read all of them to find the few of another lane.
// What a restore holds is asked here too: a worker reads the pauses only every second.
const CLAIM = statement(
  'claim',
  `
with allotment as (
  select * from unnest($2::text[], $3::uuid[], $4::text[], $5::int[]) as a(class, team_id, destination, count)
), picked as (
  select d.id from allotment a cross join lateral (
    select id from deliveries where is_ready and leased_by is null and claims < ${CLAIMS_BEFORE_SUSPICION}
       and (class, team_id, destination) >= (a.class, a.team_id, a.destination) and (class, team_id, destination) <= (a.class, a.team_id, a.destination)
     order by class, team_id, destination, id limit a.count for update skip locked
  ) d where ${IS_NOT_HELD}
), ${TAKE}`,
)

const CLAIM_SUSPECT = statement(
  'claim suspect',
  `
with picked as (
  select id from deliveries d where leased_by is null and claims >= ${CLAIMS_BEFORE_SUSPICION} and due_at <= $2 and class <> 'held' and ${IS_NOT_HELD} and not exists (
    select from queue_pauses p where ${isIn('d', 'p')}
  ) and not ${isOfStoppedTeam('d.team_id')} and not ${isPausedByGuard('d')} order by due_at limit 1 for update skip locked
), ${TAKE}`,
)

const LOCK_EMAILS_OF_DELIVERIES = statement(
  'lock emails of deliveries',
  'select id from emails where id in (select email_id from deliveries where id = any($1::uuid[])) order by id for update',
)

/** Workers read every second which teams are stopped. */
const STOP_KNOWN_AFTER_SECONDS = 2

// Mail of a broadcast that is paused, waits or was canceled is held if it has not begun: no lane has that class. Workers release it, or cancel its email.
// Mail of a team that was suspended or deleted since the claim is put off until every worker knows of it: then its lane is parked, or it is sent after all.
// `is not distinct from` keeps PostgreSQL from looking for the lease by its index: that has an entry of each claim until it is vacuumed, tens of
// thousands a minute.
// An email whose last delivery is dropped is final. Nothing else changes it here: an email of an allowed attempt still has its delivery.
const BEGIN = statement(
  'begin',
  `
with wanted as (
  select * from unnest($4::uuid[], $5::uuid[]) as w("deliveryId", "attemptId")
), mine as (
  select w."deliveryId", w."attemptId", d.team_id, d.email_id, r.attempt_count, r.state as recipient_state,
    e.state = 'canceled' as is_canceled, e.state = 'scheduled' and e.scheduled_at > $2 as is_early, e.scheduled_at,
    e.state <> 'canceled' and r.state = 'queued' and coalesce(b.status in ('paused', 'canceled') or b.is_waiting, false) as is_held,
    ${isOfStoppedTeam('d.team_id')} as is_stopped
  from wanted w join deliveries d on d.id = w."deliveryId" and d.leased_by is not distinct from $1 join emails e on e.id = d.email_id join recipients r on r.id = d.id
  left join broadcasts b on b.id = e.broadcast_id
), allowed as (
  select * from mine where not is_canceled and not is_early and not is_held and not is_stopped and recipient_state in ('queued', 'sent', 'delivery_delayed')
), dropped as (
  delete from deliveries d using mine m where d.id = m."deliveryId" and not m.is_early and (m.is_canceled or m.recipient_state not in ('queued', 'sent', 'delivery_delayed'))
  returning d.id, d.email_id
), ended as (
  update emails e set final_at = $2 where e.id in (select email_id from dropped) and e.final_at is null
    and not exists (${OPEN_DELIVERIES} and d.id not in (select id from dropped))
), rescheduled_lanes as (
  update deliveries d set due_at = m.scheduled_at, is_ready = false, leased_by = null, claims = 0 from mine m where d.id = m."deliveryId" and m.is_early
), held as (
  update deliveries d set class = 'held', leased_by = null, claims = 0 from mine m where d.id = m."deliveryId" and m.is_held
), put_off as (
  update deliveries d set due_at = $2::timestamptz + interval '${STOP_KNOWN_AFTER_SECONDS} seconds', is_ready = false, leased_by = null, claims = 0 from mine m
  where d.id = m."deliveryId" and m.is_stopped and not m.is_canceled and not m.is_early and not m.is_held
    and m.recipient_state in ('queued', 'sent', 'delivery_delayed')
), opened as (
  insert into attempts (id, team_id, email_id, recipient_id, number, started_at)
  select "attemptId", team_id, email_id, "deliveryId", attempt_count + 1, $2 from allowed
), marked as (
  update deliveries d set attempt_id = a."attemptId" from allowed a where d.id = a."deliveryId"
), changed as (
  update recipients r set attempt_count = r.attempt_count + 1, state = case when r.state = 'queued' then 'sent' else r.state end
  from allowed a where r.id = a."deliveryId" returning r.id, r.email_id, r.state
), notified as (
  insert into notifications (${notificationColumns.insert})
  select ${notificationColumns.select} from ${SENT_NOTIFICATIONS.source} as n
  join allowed a on a."deliveryId" = n."deliveryId" and a.attempt_count = 0
), ${lastEvents('$3')}, updated as (
  update emails e set state = 'queued', last_event = l.last_event from last_events l where e.id = l.email_id
)
select "deliveryId" from allowed`,
)

/** More than a worker holds at once. */
const HELD_MAX = 10_000
const HELD = `select id from deliveries where leased_by = $1 limit ${HELD_MAX}`

const RELEASE = `
with mine as (
  select id, email_id, attempt_id from deliveries where leased_by is not distinct from $1 and id = any($2::uuid[]) order by id for update
), closed as (
  update attempts a set outcome = 'abandoned', ended_at = $3 from mine m where a.email_id = m.email_id and a.id = m.attempt_id and a.outcome is null
)
update deliveries d set leased_by = null, attempt_id = null, claims = greatest(d.claims - $4::int, 0) from mine m where d.id = m.id`

// A settlement without an attempt is only an opinion: an email that was canceled or rescheduled meanwhile has the last word. An attempt's delivery
// is touched only while that attempt is its open one, because a settlement that is written twice must not take it from the next attempt. The array
// beside the join lets PostgreSQL read only the partitions of these ids.
const SETTLE = statement(
  'settle',
  `
with given as (
  select o.*, e.scheduled_at, o."attemptId" is null and e.state = 'canceled' as is_canceled,
    o."attemptId" is null and e.state = 'scheduled' and e.scheduled_at > $2 as is_early
  from ${SETTLED.source} as o
  join emails e on e.id = o."emailId"
), outcome as (
  select * from given where not is_canceled and not is_early
), closed as (
  update attempts a set outcome = o.outcome, host = o.host, tls = o.tls, code = o.code, enhanced_code = o."enhancedCode", text = o.text, duration_ms = o."durationMs", ended_at = $2
  from outcome o where a.email_id = o."emailId" and a.id = o."attemptId" and a.id = any($4::uuid[])
), changed as (
  update recipients r set state = o."toState" from outcome o where r.id = o."deliveryId" and r.state = any(o."fromStates") returning r.id, r.email_id, r.state
), removed as (
  delete from deliveries d using given g
  where d.id = g."deliveryId" and d.leased_by is not distinct from $1 and d.attempt_id is not distinct from g."attemptId" and g."retryAt" is null and not g.is_early
), rescheduled_lanes as (
  update deliveries d set due_at = case when g.is_early then g.scheduled_at else g."retryAt" end, is_ready = false, leased_by = null, attempt_id = null,
    claims = 0, delays = d.delays + case when g.outcome = 'delayed' then 1 else 0 end from given g
  where d.id = g."deliveryId" and d.leased_by is not distinct from $1 and d.attempt_id is not distinct from g."attemptId" and (g."retryAt" is not null or g.is_early)
), notified as (
  insert into notifications (${notificationColumns.insert})
  select ${notificationColumns.select} from ${SETTLED_NOTIFICATIONS.source} as n join changed c on c.id = n."deliveryId"
), ${lastEvents('$3')}
update emails e set state = 'queued', last_event = coalesce(l.last_event, e.last_event),
  final_at = case when not exists (
    ${OPEN_DELIVERIES} and d.id not in (select "deliveryId" from outcome where "retryAt" is null)
  ) then $2::timestamptz end
from (select distinct "emailId" from outcome) o left join last_events l on l.email_id = o."emailId"
where e.id = o."emailId" and e.state <> 'canceled'`,
)

const FREE = `
with freed as (select id, email_id, attempt_id from deliveries where leased_by = $1 order by id for update),
     unknown as (update attempts a set outcome = 'unknown', ended_at = $2 from freed f where a.email_id = f.email_id and a.id = f.attempt_id and a.outcome is null)
update deliveries d set leased_by = null, attempt_id = null from freed f where d.id = f.id`

/** What a worker holds of the queue. Its open attempts are settled as unknown. */
export const heldDeliveries: HeldWork = {
  table: 'deliveries',
  free: (inside, workerId, { now }) => inside(FREE, [workerId, now]),
}
