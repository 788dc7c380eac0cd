// Messages of webhooks on their way: claimed, sent and settled in bulk; in SQL, because that is hot and set-based. Every function crosses teams, for
// workers.

import { type Database, type Execute, statement } from '../../../db/database.ts'
import { IS_NOT_HELD } from '../../../db/held.ts'
import type { HeldWork } from '../../../db/leases/worker-leases.repository.ts'
import { CLAIMS_BEFORE_SUSPICION } from '../../../lib/limits/claims.ts'
import { isOfStoppedTeam } from '../../accounts/teams/team-states.sql.ts'
import { readContents, type WebhookContents } from '../payloads/webhook-contents.repository.ts'
import { toSecrets, type WebhookSecrets } from '../webhooks.repository.ts'
import { DISABLED, giveUpAll } from './pending-messages.repository.ts'
import { FAILING_MS_MAX } from './retry-schedule.ts'

/** A webhook that has messages waiting. */
export type WebhookLane = { webhookId: string; teamId: string; concurrency: number; dueAt: Date }

/** A message that this worker has claimed. Its attempt is open. */
export type ClaimedMessage = {
  seq: string
  webhookId: string
  messageId: string
  teamId: string
  attemptId: string
  endpoint: string
  secrets: WebhookSecrets
  failures: number
  claims: number
  /** Not retried. */
  isSingle: boolean
}

/** What became of an attempt. */
export type MessageOutcome = Pick<ClaimedMessage, 'seq' | 'webhookId' | 'messageId' | 'attemptId' | 'endpoint'> & {
  outcome: 'success' | 'failure'
  httpStatus: number | null
  response: string | null
  error: string | null
  durationMs: number
  /** Null if the message was accepted or is given up. */
  retryAt: Date | null
  /** Why it is given up; null if it is not. */
  reason: string | null
  /** False if the failure was ours: it says nothing about the endpoint. */
  concernsEndpoint: boolean
}

export type Sendable = { enabled: ReadonlySet<string>; contents: WebhookContents }

export type DisableOptions = { now: Date; endpoint?: string; failingSince?: Date }

export type ClaimOptions = {
  now: Date
  createId: () => string
  /** Takes a single message, of those that may kill their workers. */
  isSuspect?: boolean
}

/** Webhooks whose suspects are looked at together. */
const SUSPECT_WEBHOOKS_MAX = 20
/** Rows of an ordered webhook that one claim looks at. */
const ORDERED_CANDIDATES = 200
/** The largest bigint. */
const SEQ_MAX = '9223372036854775807'
/** How long a row waits that is next after one that is being sent. It is woken when that one is done; this is for when that is missed. */
const NEXT_LOOKS_AFTER = "interval '500 milliseconds'"
const NEXT_LOOKS_WITHIN = "interval '60 seconds'"
/** How long the later ones wait: each is woken when it is next. */
const LATER_LOOKS_AFTER = "interval '10 minutes'"
/** Health is written no more often than this, unless it changes. */
const HEALTH_EVERY_MS = 1_000
/** Waiting messages that are counted for metrics. */
export const WAITING_COUNTED_MAX = 100_000

export function webhookDeliveryRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  const rowByRow: Database['transaction'] = (work) => transaction(work, { plans: 'row by row' })

  return {
    /** Enabled webhooks with an endpoint that have messages due by then, and when the first of these is due. One index probe for each. */
    lanesAcrossTeams(until: Date): Promise<WebhookLane[]> {
      return rowByRow((inside) => inside<WebhookLane>(LANES, [until]))
    },

    /** Whether there is any webhook to send to. It costs much less than to look for what is due, and most installations have none. */
    async anyAcrossTeams(): Promise<boolean> {
      const [row] = await execute<{ isThere: boolean }>(ANY)
      return row?.isThere === true
    },

    /** Webhooks that have due messages which may kill their workers. */
    async suspectWebhooksAcrossTeams(now: Date): Promise<string[]> {
      const rows = await execute<{ webhookId: string }>(SUSPECT_WEBHOOKS, [now])
      return rows.map(({ webhookId }) => webhookId)
    },

    /**
     * Claims due messages and opens an attempt for each, the longest due first; for an ordered webhook only the first message of each subject. All
     * workers together hold no more of a webhook than its concurrency.
     *
     * @returns `mayHaveMore` if there may be others among those that were not looked at.
     */
    claim(
      workerId: string,
      allotments: readonly { webhookId: string; count: number }[],
      { now, createId, isSuspect = false }: ClaimOptions,
    ): Promise<{ claimed: ClaimedMessage[]; mayHaveMore: boolean }> {
      return rowByRow(async (inside) => {
        const locked = await inside<LockedWebhook>(LOCK_WEBHOOKS, [allotments.map(({ webhookId }) => webhookId)])
        if (locked.length === 0) return { claimed: [], mayHaveMore: false }
        const webhooks = new Map(locked.map((webhook) => [webhook.id, { ...webhook, secrets: toSecrets(webhook) }]))
        const allowed = allotments.flatMap(({ webhookId, count }) => {
          const webhook = webhooks.get(webhookId)
          return webhook ? [{ webhookId, count, concurrency: webhook.concurrency, isOrdered: webhook.isOrdered }] : []
        })
        const max = isSuspect ? 1 : allowed.reduce((sum, { count }) => sum + count, 0)
        const rows = await inside<Taken>(isSuspect ? CLAIM_SUSPECT : CLAIM, [
          workerId,
          allowed.map(({ webhookId }) => webhookId),
          allowed.map(({ count }) => count),
          allowed.map(({ concurrency }) => concurrency),
          Array.from({ length: max }, createId),
          now,
          allowed.map(({ isOrdered }) => isOrdered),
        ])
        const claimed = rows.flatMap(({ putOff: _putOff, ...row }) => {
          const webhook = webhooks.get(row.webhookId)
          return webhook ? [{ ...row, endpoint: webhook.endpoint, secrets: webhook.secrets }] : []
        })
        return { claimed, mayHaveMore: rows.some(({ putOff }) => putOff > 0) }
      })
    },

    /**
     * Calls `begin` with what the messages are made of and the webhooks that are enabled. Until it returns, none of them can be disabled or deleted:
     * what it begins to send was begun before that is answered.
     */
    whileEnabled(claimed: readonly ClaimedMessage[], begin: (sendable: Sendable) => void): Promise<void> {
      return rowByRow(async (inside) => {
        const contents = await readContents(inside, claimed)
        const enabled = await inside<{ id: string }>(HOLD_ENABLED, [[...new Set(claimed.map(({ webhookId }) => webhookId))]])
        begin({ enabled: new Set(enabled.map(({ id }) => id)), contents })
      })
    },

    /**
     * Writes outcomes. They are facts, and are recorded even if another worker has the lease. Only removing or rescheduling the message needs it.
     *
     * @returns the webhooks whose attempts have all failed for too long.
     */
    settle(workerId: string, outcomes: readonly MessageOutcome[], now: Date): Promise<{ exhausted: string[] }> {
      return rowByRow(async (inside) => {
        const exhausted = await recordHealth(inside, outcomes, now)
        await inside(SETTLE, [
          JSON.stringify(outcomes.map(({ concernsEndpoint: _concernsEndpoint, endpoint: _endpoint, ...outcome }) => outcome)),
          workerId,
          now,
        ])
        return { exhausted }
      })
    },

    /**
     * Nothing more is sent to it, and what waits is given up. False if it was disabled already, is gone, or the reason no longer holds: it has
     * another endpoint, or has been failing only since a later time.
     */
    disable(webhookId: string, reason: string, { now, endpoint, failingSince }: DisableOptions): Promise<boolean> {
      return transaction(async (inside) => {
        const [locked] = await inside(LOCK_TO_DISABLE, [webhookId, endpoint ?? null, failingSince ?? null])
        if (!locked) return false
        await inside("update webhooks set status = 'disabled', disabled_reason = $2 where id = $1", [webhookId, reason])
        await giveUpAll(inside, webhookId, DISABLED, now)
        return true
      })
    },

    /** Attempts of what this worker has claimed and not settled. */
    async heldBy(workerId: string): Promise<string[]> {
      const rows = await rowByRow((inside) => inside<{ attemptId: string }>(HELD, [workerId]))
      return rows.map(({ attemptId }) => attemptId)
    },

    /** Releases what was claimed and not sent. */
    async release(workerId: string, attemptIds: string[]): Promise<void> {
      await rowByRow((inside) => inside(RELEASE, [workerId, attemptIds]))
    },

    /** Messages that wait, counted up to WAITING_COUNTED_MAX. */
    async countWaitingAcrossTeams(): Promise<number> {
      const [row] = await execute<{ count: number }>(
        `select count(*)::int as count from (select from webhook_deliveries where leased_by is null limit ${WAITING_COUNTED_MAX}) w`,
      )
      return row?.count ?? 0
    },
  }
}

const LOCK_TO_DISABLE = `
select id from webhooks where id = $1 and status = 'enabled' and ($2::text is null or endpoint = $2) and ($3::timestamptz is null or failing_since <= $3) for update`

type LockedWebhook = { id: string; endpoint: string; concurrency: number; isOrdered: boolean } & Parameters<typeof toSecrets>[0]
type Taken = Omit<ClaimedMessage, 'endpoint' | 'secrets'> & { putOff: number }
type Health = { id: string; lastSuccessAt: Date | null; lastFailureAt: Date | null; failingSince: Date | null }

/** The webhooks stay locked, so that none is disabled or deleted meanwhile. Returns those that have failed for too long. */
async function recordHealth(inside: Execute, outcomes: readonly MessageOutcome[], now: Date): Promise<string[]> {
  const known = await inside<Health>(LOCK_HEALTH, [[...new Set(outcomes.map(({ webhookId }) => webhookId))]])
  const isOld = (time: Date | null) => time === null || now.getTime() - time.getTime() >= HEALTH_EVERY_MS
  const exhausted: string[] = []
  const changes = known.flatMap(({ id, lastSuccessAt, lastFailureAt, failingSince }) => {
    const own = outcomes.filter(({ webhookId, concernsEndpoint }) => webhookId === id && concernsEndpoint)
    const succeeded = own.some(({ outcome }) => outcome === 'success')
    const failed = own.some(({ outcome }) => outcome === 'failure')
    if (failed && !succeeded && failingSince !== null && now.getTime() - failingSince.getTime() >= FAILING_MS_MAX) exhausted.push(id)
    const isNews =
      (succeeded && (failingSince !== null || isOld(lastSuccessAt))) ||
      (failed && ((!succeeded && failingSince === null) || isOld(lastFailureAt)))
    return isNews ? [{ id, succeeded, failed }] : []
  })
  if (changes.length > 0) {
    const columns = [changes.map(({ id }) => id), changes.map(({ succeeded }) => succeeded), changes.map(({ failed }) => failed)]
    await inside(RECORD_HEALTH, [...columns, now])
  }
  return exhausted
}

// A loose index scan over webhook_deliveries_due_idx, from one webhook straight to the next.
const LANES = statement(
  'lanes of webhooks',
  `
with recursive lane as (
  (select webhook_id, due_at from webhook_deliveries where leased_by is null order by webhook_id, due_at, seq limit 1)
  union all
  select next.* from lane cross join lateral (
    select d.webhook_id, d.due_at from webhook_deliveries d where d.leased_by is null and d.webhook_id > lane.webhook_id
     order by d.webhook_id, d.due_at, d.seq limit 1
  ) next
)
select w.id as "webhookId", w.team_id as "teamId", w.concurrency, l.due_at as "dueAt"
from lane l cross join lateral (select * from webhooks w where w.id = l.webhook_id limit 1) w
where w.status = 'enabled' and w.endpoint is not null and l.due_at <= $1 and ${IS_NOT_HELD} and not ${isOfStoppedTeam('w.team_id')}`,
)

const ANY = statement('any webhooks', `select exists (select from webhooks where status = 'enabled' and endpoint is not null) as "isThere"`)

const SUSPECT_WEBHOOKS = `
select webhook_id as "webhookId" from webhook_deliveries
 where leased_by is null and claims >= ${CLAIMS_BEFORE_SUSPICION} and due_at <= $1 and ${IS_NOT_HELD} and not ${isOfStoppedTeam('webhook_deliveries.team_id')} group by webhook_id order by min(due_at) limit ${SUSPECT_WEBHOOKS_MAX}`

// Two workers that claim for the same webhook at once would both count the places that are left. One of them comes again a moment later.
const LOCK_WEBHOOKS = statement(
  'lock webhooks',
  `
select id, endpoint, concurrency, is_ordered as "isOrdered", secret, secret_version as "secretVersion", old_secret as "oldSecret", old_secret_version as "oldSecretVersion",
  old_secret_until as "oldSecretUntil"
from webhooks where id = any($1::uuid[]) and status = 'enabled' and endpoint is not null order by id for no key update skip locked`,
)

// What is leased is counted for the workers that there are, because only one index begins with both columns. A webhook and a subject are ranges instead of
// equalities, because only the index that is meant has that order (see `CLAIM` of deliveries). Of the rows about
// one subject only the first may be taken: the others are put off, so that they are not looked at again and again.
const claimStatement = (whose: string) => `
with allotment as materialized (
  select a.webhook_id, a.is_ordered, least(a.count, a.concurrency - (
    select count(*)::int from webhook_deliveries l where l.webhook_id = a.webhook_id and l.leased_by = any(array(select id from worker_leases)))) as room
  from unnest($2::uuid[], $3::int[], $4::int[], $7::boolean[]) as a(webhook_id, count, concurrency, is_ordered)
), candidate as materialized (
  select c.*, a.room from allotment a cross join lateral (
    select d.seq, d.webhook_id, d.subject_id, d.is_ordered, d.due_at from webhook_deliveries d
     where d.leased_by is null and d.claims ${whose} and (d.webhook_id, d.due_at) >= (a.webhook_id, '-infinity') and (d.webhook_id, d.due_at) <= (a.webhook_id, $6::timestamptz)
     order by d.webhook_id, d.due_at, d.seq limit case when a.room <= 0 then 0 when a.is_ordered then ${ORDERED_CANDIDATES} else a.room end
     for update skip locked
  ) c
), judged as materialized (
  select c.*, coalesce(e.earlier, 0) as earlier, e.head_due_at from candidate c left join lateral (
    select count(*)::int as earlier, min(first.due_at) as head_due_at from (
      select o.due_at from webhook_deliveries o
       where o.is_ordered and (o.webhook_id, o.subject_id, o.seq) >= (c.webhook_id, c.subject_id, 0) and (o.webhook_id, o.subject_id, o.seq) < (c.webhook_id, c.subject_id, c.seq)
       order by o.webhook_id, o.subject_id, o.seq limit 2
    ) first
  ) e on c.is_ordered
), picked as materialized (
  select seq, row_number() over (order by due_at, seq) as place from (
    select seq, due_at, room, row_number() over (partition by webhook_id order by due_at, seq) as turn from judged where earlier = 0
  ) t where turn <= room order by due_at, seq limit cardinality($5::uuid[])
), taken as (
  update webhook_deliveries d set leased_by = $1, claims = d.claims + 1, attempt_id = ($5::uuid[])[p.place] from picked p
   where d.seq = p.seq returning d.*
), begun as (
  insert into webhook_attempts (webhook_id, message_id, id, team_id, started_at) select webhook_id, message_id, attempt_id, team_id, $6::timestamptz from taken
), put_off as (
  update webhook_deliveries d set due_at = case when j.earlier = 1
      then least(greatest(j.head_due_at, $6::timestamptz + ${NEXT_LOOKS_AFTER}), $6::timestamptz + ${NEXT_LOOKS_WITHIN})
      else $6::timestamptz + ${LATER_LOOKS_AFTER} end
   from judged j where d.seq = j.seq and j.earlier > 0 returning 1
)
select p."putOff", t.seq::text as seq, t.webhook_id as "webhookId", t.message_id as "messageId", t.team_id as "teamId", t.attempt_id as "attemptId", t.failures,
  t.claims, t.is_single as "isSingle"
from (select count(*)::int as "putOff" from put_off) p left join taken t on true order by t.due_at, t.seq`

const CLAIM = statement('claim webhook messages', claimStatement(`< ${CLAIMS_BEFORE_SUSPICION}`))
const CLAIM_SUSPECT = statement('claim suspect webhook message', claimStatement(`>= ${CLAIMS_BEFORE_SUSPICION}`))

/** More than a worker holds at once. */
const HELD_MAX = 2_000
const HELD = `select attempt_id as "attemptId" from webhook_deliveries where leased_by = $1 limit ${HELD_MAX}`

const RELEASE = `
with mine as materialized (
  select seq, webhook_id, message_id, attempt_id from webhook_deliveries where leased_by = $1 and attempt_id = any($2::uuid[]) order by seq for update
), unknown as (
  update webhook_attempts a set outcome = 'unknown' from mine m
   where a.webhook_id = m.webhook_id and a.message_id = m.message_id and a.id = m.attempt_id and a.outcome is null
)
update webhook_deliveries d set leased_by = null, attempt_id = null, claims = greatest(d.claims - 1, 0) from mine m where d.seq = m.seq`

// Compatible with the lock of a claim, but not with that of a change or a removal. Always in the same order.
const LOCK_HEALTH = statement(
  'hold webhooks',
  `
select id, last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt", failing_since as "failingSince"
from webhooks where id = any($1::uuid[]) order by id for key share`,
)

// A transaction that only holds them has nothing that a crash could lose.
const HOLD_ENABLED = statement(
  'hold enabled webhooks',
  `
select id, set_config('synchronous_commit', 'off', true)
from webhooks where id = any($1::uuid[]) and status = 'enabled' order by id for key share`,
)

const RECORD_HEALTH = statement(
  'record health of webhooks',
  `
with given as (
  select * from unnest($1::uuid[], $2::boolean[], $3::boolean[]) as g(id, succeeded, failed)
), locked as (
  select w.id from webhooks w where w.id = any($1::uuid[]) order by w.id for no key update
)
update webhooks w set
  last_success_at = case when g.succeeded then $4::timestamptz else w.last_success_at end,
  last_failure_at = case when g.failed then $4::timestamptz else w.last_failure_at end,
  failing_since = case when g.succeeded then null else coalesce(w.failing_since, $4::timestamptz) end
from given g join locked l on l.id = g.id where w.id = g.id`,
)

// An attempt's message is touched only while that attempt is its open one. A replay of what was delivered before changes nothing if it fails.
const SETTLE = statement(
  'settle webhook messages',
  `
with outcome as materialized (
  select * from jsonb_to_recordset($1::jsonb) as o(seq bigint, "webhookId" uuid, "messageId" uuid, "attemptId" uuid, outcome text, "httpStatus" int, response text,
    error text, "durationMs" int, "retryAt" timestamptz, reason text)
), closed as (
  update webhook_attempts a set outcome = o.outcome, http_status = o."httpStatus", response = o.response, error = o.error, duration_ms = o."durationMs"
  from outcome o where a.webhook_id = o."webhookId" and a.message_id = o."messageId" and a.id = o."attemptId"
), held as materialized (
  select d.seq, d.subject_id, d.is_ordered, d.is_single, o."webhookId", o."messageId", o."retryAt", o.reason from webhook_deliveries d
  join outcome o on o.seq = d.seq and o."attemptId" = d.attempt_id
  where d.leased_by = $2 order by d.seq for update of d
), removed as (
  delete from webhook_deliveries where seq = any(array(select seq from held where "retryAt" is null))
), rescheduled_lanes as (
  update webhook_deliveries d set due_at = h."retryAt", failures = d.failures + 1, claims = 0, leased_by = null, attempt_id = null
  from held h where d.seq = h.seq and h."retryAt" is not null
), given_up as (
  insert into webhook_failures (webhook_id, message_id, reason, failed_at) select "webhookId", "messageId", reason, $3::timestamptz from held h
  where reason is not null and not (is_single and exists (
    select from webhook_attempts a where a.webhook_id = h."webhookId" and a.message_id = h."messageId" and a.outcome = 'success'))
  on conflict (webhook_id, message_id) do update set reason = excluded.reason, failed_at = excluded.failed_at
), accepted as (
  delete from webhook_failures f using outcome o where o.outcome = 'success' and f.webhook_id = o."webhookId" and f.message_id = o."messageId"
)
update webhook_deliveries n set due_at = least(n.due_at, $3::timestamptz) where n.seq = any(array(
  select (select e.seq from webhook_deliveries e
    where e.is_ordered and (e.webhook_id, e.subject_id, e.seq) > (h."webhookId", h.subject_id, h.seq)
      and (e.webhook_id, e.subject_id, e.seq) <= (h."webhookId", h.subject_id, ${SEQ_MAX}) order by e.webhook_id, e.subject_id, e.seq limit 1)
  from held h where h.is_ordered and h."retryAt" is null
))`,
)

// A worker holds only one message at a time that may kill its workers. If the worker held one, that one is to blame, and the claims of the others do not
// count. None is to blame if the worker left by itself.
const FREE = `
with held as materialized (
  select seq, webhook_id, message_id, attempt_id, claims from webhook_deliveries where leased_by = $1 order by seq for update
), suspect as (
  select from held where claims > ${CLAIMS_BEFORE_SUSPICION}
), unknown as (
  update webhook_attempts a set outcome = 'unknown' from held h
   where a.webhook_id = h.webhook_id and a.message_id = h.message_id and a.id = h.attempt_id and a.outcome is null
)
update webhook_deliveries d set leased_by = null, attempt_id = null,
  claims = case when not $2 or (h.claims <= ${CLAIMS_BEFORE_SUSPICION} and exists (select from suspect)) then h.claims - 1 else h.claims end
from held h where d.seq = h.seq`

/** What a worker holds of webhooks. */
export const heldWebhookMessages: HeldWork = {
  table: 'webhook_deliveries',
  free: (inside, workerId, { hasEnded }) => inside(FREE, [workerId, hasEnded]),
}
