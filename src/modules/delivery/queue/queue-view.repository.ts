// The queue for its operators: lines for the command line, a sample for the metrics, one email with all that is known of its
// delivery; in SQL, because it counts and joins.

import type { Database } from '../../../db/database.ts'
import type { LaneClass } from '../../emails/new-delivery.ts'
import type { Lane, QueuePart } from '../lanes.ts'

/** Deliveries by what they wait for. ready: a worker. waiting: their time. leased: their outcome. parked: the end of a pause. */
export type QueueCounts = { ready: number; waiting: number; leased: number; parked: number }

export type QueueLine = Lane & QueueCounts & { nextDueAt: Date | null }

/** `total` counts all lanes, not only the requested lines. */
export type QueueLines = { lines: QueueLine[]; laneCount: number; total: QueueCounts; isBounded: boolean }

export type QueueSample = { lanes: (Pick<Lane, 'class' | 'destination'> & QueueCounts)[]; oldestDueSeconds: number }

export type QueuedEmail = {
  id: string
  teamId: string
  state: string
  lastEvent: string
  from: string
  subject: string
  createdAt: Date
  scheduledAt: Date | null
  isFetching: boolean
  recipients: QueuedRecipient[]
  attempts: QueuedAttempt[]
}

export type QueuedRecipient = {
  address: string
  state: string
  attemptCount: number
  /** Whether work is left for it. If not, the fields below are null or false. */
  hasDelivery: boolean
  class: LaneClass | null
  destination: string | null
  isReady: boolean
  isParked: boolean
  dueAt: Date | null
  leasedBy: string | null
}

export type QueuedAttempt = {
  address: string
  number: number
  outcome: string | null
  host: string | null
  code: number | null
  enhancedCode: string | null
  text: string | null
  durationMs: number | null
  startedAt: Date
}

/** What a team has in the queue, by destination, the longest first. */
export type TeamQueue = {
  lines: { destination: string; count: number }[]
  total: QueueCounts
  /** When that which is due, or due next, was or is due; null if nothing waits for its time or a worker. */
  oldestDueAt: Date | null
  /** There may be more. */
  isBounded: boolean
}

export function queueViewRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /** The queue by lanes, longest first. Counted up to a bound. */
    async linesAcrossTeams(part: QueuePart, limit: number, countedMax: number = COUNTED_MAX): Promise<QueueLines> {
      const rows = await execute<QueueLine & { laneCount: number; total: QueueCounts }>(LINES, [
        part.class,
        part.teamId,
        part.destination,
        limit,
        countedMax,
      ])
      const { laneCount, total } = rows[0] ?? { laneCount: 0, total: { ready: 0, waiting: 0, leased: 0, parked: 0 } }
      const isBounded = total.ready + total.waiting + total.leased + total.parked >= countedMax
      return { lines: rows.map(({ laneCount: _count, total: _total, ...line }) => line), laneCount, total, isBounded }
    },

    /** For the metrics: the longest lanes over all teams, the others together as `other`. */
    async sampleAcrossTeams(now: Date): Promise<QueueSample> {
      const lanes = await execute<QueueSample['lanes'][number]>(SAMPLE)
      const [oldest] = await execute<{ seconds: number }>(OLDEST, [now])
      return { lanes, oldestDueSeconds: oldest?.seconds ?? 0 }
    },

    /** Deliveries that each worker holds, counted up to a bound. */
    leasesAcrossTeams: (): Promise<{ workerId: string; count: number }[]> => execute(LEASES),

    /** Reads a bounded part of the queue, however long it is, and however much of it is of other teams. */
    async ofTeam(teamId: string): Promise<TeamQueue> {
      const rows = await transaction((inside) => inside<TeamQueueRow>(OF_TEAM, [teamId]), { plans: 'by index' })
      const [row] = rows
      return {
        lines: rows.flatMap(({ destination, count }) => (destination === null ? [] : [{ destination, count }])),
        total: row?.total ?? { ready: 0, waiting: 0, leased: 0, parked: 0 },
        oldestDueAt: row?.oldestDueAt ?? null,
        isBounded: row?.isBounded ?? false,
      }
    },

    async findEmailAcrossTeams(id: string, { attemptsMax }: { attemptsMax: number }): Promise<QueuedEmail | null> {
      const [email] = await execute<Omit<QueuedEmail, 'recipients' | 'attempts'>>(EMAIL, [id])
      if (!email) return null
      return {
        ...email,
        recipients: await execute<QueuedRecipient>(RECIPIENTS, [id]),
        attempts: await execute<QueuedAttempt>(ATTEMPTS, [id, attemptsMax]),
      }
    },
  }
}

/** The most that the command line counts: about a second of work. */
const COUNTED_MAX = 1_000_000
const LINES = `
with counted as (
  select class, team_id, destination, due_at,
    case when leased_by is not null then 'leased' when is_ready then 'ready' when due_at = 'infinity' then 'parked' else 'waiting' end as state
  from deliveries where ($1::text is null or class = $1) and ($2::uuid is null or team_id = $2) and ($3::text is null or destination = $3) limit $5
), lane as (
  select class, team_id, destination, count(*)::int as total, count(*) filter (where state = 'ready')::int as ready,
    count(*) filter (where state = 'waiting')::int as waiting, count(*) filter (where state = 'leased')::int as leased,
    count(*) filter (where state = 'parked')::int as parked, min(due_at) filter (where state = 'waiting') as next_due_at
  from counted group by 1, 2, 3
)
select class, team_id as "teamId", destination, ready, waiting, leased, parked, next_due_at as "nextDueAt", (count(*) over ())::int as "laneCount",
  jsonb_build_object('ready', sum(ready) over (), 'waiting', sum(waiting) over (), 'leased', sum(leased) over (), 'parked', sum(parked) over ()) as total
from lane order by lane.total desc, class, team_id, destination limit $4`

const LEASES_MAX = 10_000
const LEASES = `
select leased_by as "workerId", count(*)::int as count from (select leased_by from deliveries where leased_by is not null limit ${LEASES_MAX}) leased
group by 1 order by 1`

/** Without a destination if nothing of the team was found. */
type TeamQueueRow = { destination: string | null; count: number; total: QueueCounts; oldestDueAt: Date | null; isBounded: boolean }

/** Rows that a page reads of each state: some milliseconds. */
const OF_TEAM_MAX = 10_000
const OF_TEAM_LINES_MAX = 8
// What waits has no order by team, so the first of all teams are looked through.
const OF_TEAM = `
with ready as (
  (select destination, due_at from deliveries where class = 'transactional' and team_id = $1 and is_ready and leased_by is null limit ${OF_TEAM_MAX})
  union all (select destination, due_at from deliveries where class = 'bulk' and team_id = $1 and is_ready and leased_by is null limit ${OF_TEAM_MAX})
), waiting as (
  select team_id, destination, due_at from deliveries where not is_ready and leased_by is null order by due_at, id limit ${OF_TEAM_MAX}
), leased as (
  select team_id, destination, due_at from deliveries where leased_by is not null limit ${OF_TEAM_MAX}
), counted as (
  select destination, due_at, 'ready' as state from ready
  union all select destination, due_at, case when due_at = 'infinity' then 'parked' else 'waiting' end from waiting where team_id = $1
  union all select destination, due_at, 'leased' from leased where team_id = $1
), total as (
  select count(*) filter (where state = 'ready')::int as ready, count(*) filter (where state = 'waiting')::int as waiting,
    count(*) filter (where state = 'leased')::int as leased, count(*) filter (where state = 'parked')::int as parked,
    min(due_at) filter (where state in ('ready', 'waiting')) as oldest_due_at from counted
)
select destination, count(*)::int as count, jsonb_build_object('ready', t.ready, 'waiting', t.waiting, 'leased', t.leased, 'parked', t.parked) as total,
  t.oldest_due_at as "oldestDueAt",
  t.ready >= ${OF_TEAM_MAX} or (select count(*) from waiting) >= ${OF_TEAM_MAX} or (select count(*) from leased) >= ${OF_TEAM_MAX} as "isBounded"
from total t left join counted on true group by destination, t.ready, t.waiting, t.leased, t.parked, t.oldest_due_at order by 2 desc, 1 limit ${OF_TEAM_LINES_MAX}`

/** Each state is counted up to here, so that a long queue costs no more than a short one. */
const SAMPLE_MAX = 100_000
/** Lanes with series of their own. Two classes and four states make at most eight times as many. */
const LANES_SAMPLED_MAX = 50
const SAMPLE = `
with counted as (
  (select class, destination, 'ready' as state from deliveries where is_ready and leased_by is null limit ${SAMPLE_MAX})
  union all (select class, destination, 'waiting' from deliveries where not is_ready and leased_by is null and due_at < 'infinity' limit ${SAMPLE_MAX})
  union all (select class, destination, 'parked' from deliveries where not is_ready and leased_by is null and due_at = 'infinity' limit ${SAMPLE_MAX})
  union all (select class, destination, 'leased' from deliveries where leased_by is not null limit ${SAMPLE_MAX})
), lane as (
  select class, destination, state, count(*) as count, sum(count(*)) over (partition by class, destination) as total from counted group by 1, 2, 3
), ranked as (
  select *, dense_rank() over (order by total desc, class, destination) as rank from lane
)
select class, case when rank <= ${LANES_SAMPLED_MAX} then destination else 'other' end as destination,
  coalesce(sum(count) filter (where state = 'ready'), 0)::int as ready, coalesce(sum(count) filter (where state = 'waiting'), 0)::int as waiting,
  coalesce(sum(count) filter (where state = 'leased'), 0)::int as leased, coalesce(sum(count) filter (where state = 'parked'), 0)::int as parked
from ranked group by 1, 2 order by 1, 2`

/** Ready rows have no order by time. The oldest of this many is near enough. */
const OLDEST_OF_MAX = 1_000
const OLDEST = `
select greatest(coalesce(extract(epoch from $1 - min(due_at))::float8, 0), 0) as seconds from (
  (select due_at from deliveries where is_ready and leased_by is null limit ${OLDEST_OF_MAX})
  union all (select due_at from deliveries where not is_ready and leased_by is null and due_at <= $1 order by due_at, id limit 1)
) due`

const EMAIL = `
select id, team_id as "teamId", state, last_event as "lastEvent", "from", subject, created_at as "createdAt", scheduled_at as "scheduledAt",
  is_fetching as "isFetching" from emails where id = $1`

const RECIPIENTS = `
select r.address, r.state, r.attempt_count as "attemptCount", d.id is not null as "hasDelivery", d.class, d.destination,
  coalesce(d.is_ready, false) as "isReady", coalesce(d.due_at = 'infinity', false) as "isParked", nullif(d.due_at, 'infinity') as "dueAt",
  d.leased_by as "leasedBy"
from recipients r left join deliveries d on d.id = r.id where r.email_id = $1 order by r.id`

const ATTEMPTS = `
select r.address, a.number, a.outcome, a.host, a.code, a.enhanced_code as "enhancedCode", a.text, a.duration_ms as "durationMs", a.started_at as "startedAt"
from attempts a join recipients r on r.id = a.recipient_id where a.email_id = $1 order by a.id desc limit $2`
