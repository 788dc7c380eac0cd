// The queue by lanes (class x team x destination): which have work, and how rows get into them, out of them and aside. For workers and operators.
import { LANES_MAX, type Lane, type LaneClass } from '../lib/lanes.ts'
import type { Database } from './database.ts'

/** Rows moved by one statement. */
const MOVED_MAX = 1_000

/** A part of the queue; null means any. */
export type QueuePart = { class: LaneClass | null; teamId: string | null; destination: string | null }

export type QueueLine = Lane & { ready: number; waiting: number; leased: number; nextDueAt: Date | null }

export function laneRepository({ execute }: Pick<Database, 'execute'>) {
  /** Moves rows of a part, a bounded batch at a time, until none is left; returns how many. */
  async function moveAll(sql: string, part: QueuePart, ...further: unknown[]): Promise<number> {
    let moved = 0
    for (let count = MOVED_MAX; count === MOVED_MAX; moved += count) {
      count = (await execute(sql, [part.class, part.teamId, part.destination, ...further])).length
    }
    return moved
  }

  return {
    /** Lanes of a class that have ready rows, in order, from behind `after`. One index probe per lane, however long the lanes are. */
    listAcrossTeams(kind: LaneClass, after: Lane | null): Promise<Lane[]> {
      return execute<Lane>(LIST, [kind, after?.teamId ?? null, after?.destination ?? ''])
    },

    /** Makes due rows ready; returns how many. */
    async promoteAcrossTeams(now: Date): Promise<number> {
      return (await execute(PROMOTE, [now])).length
    },

    /** Puts the ready rows of a part aside: due never, until they are taken back. */
    parkAcrossTeams: (part: QueuePart): Promise<number> => moveAll(PARK, part),
    /** Takes parked rows of a part back: due now. */
    unparkAcrossTeams: (part: QueuePart, now: Date): Promise<number> => moveAll(UNPARK, part, now),
    /** Makes rows that wait for another try due now. Scheduled emails keep their time. */
    retryAcrossTeams: (part: QueuePart, now: Date): Promise<number> => moveAll(RETRY, part, now),

    /** The queue by lanes, longest first; counted up to a bound. */
    linesAcrossTeams(part: QueuePart, limit: number): Promise<QueueLine[]> {
      return execute<QueueLine>(LINES, [part.class, part.teamId, part.destination, limit])
    },
  }
}

const isPart = `($1::text is null or class = $1) and ($2::uuid is null or team_id = $2) and ($3::text is null or destination = $3)`

// A loose index scan over deliveries_ready_idx: from one lane straight to the next.
const LIST = `
with recursive lane as (
  (select team_id, destination from deliveries where is_ready and leased_by is null and class = $1
      and ($2::uuid is null or (team_id, destination) > ($2::uuid, $3::text)) order by team_id, destination limit 1)
  union all
  select next.* from lane cross join lateral (
    select d.team_id, d.destination from deliveries d where d.is_ready and d.leased_by is null and d.class = $1
       and (d.team_id, d.destination) > (lane.team_id, lane.destination) order by d.team_id, d.destination limit 1
  ) next
)
select $1::text as class, team_id as "teamId", destination from lane limit ${LANES_MAX}`

const PROMOTE = `
with due as (
  select id from deliveries where not is_ready and leased_by is null and due_at <= $1 order by due_at, id limit ${MOVED_MAX} for update skip locked
)
update deliveries d set is_ready = true from due where d.id = due.id returning d.id`

const PARK = `
with part as (select id from deliveries where is_ready and leased_by is null and ${isPart} limit ${MOVED_MAX} for update skip locked)
update deliveries d set is_ready = false, due_at = 'infinity' from part where d.id = part.id returning d.id`

const UNPARK = `
with part as (select id from deliveries where not is_ready and leased_by is null and due_at = 'infinity' and ${isPart} limit ${MOVED_MAX} for update skip locked)
update deliveries d set due_at = $4 from part where d.id = part.id returning d.id`

const RETRY = `
with part as (
  select d.id from deliveries d join emails e on e.id = d.email_id
   where not d.is_ready and d.leased_by is null and d.due_at > $4 and d.due_at < 'infinity' and e.state <> 'scheduled'
     and ($1::text is null or d.class = $1) and ($2::uuid is null or d.team_id = $2) and ($3::text is null or d.destination = $3)
   limit ${MOVED_MAX} for update of d skip locked
)
update deliveries d set due_at = $4 from part where d.id = part.id returning d.id`

const COUNTED_MAX = 1_000_000
const LINES = `
select class, team_id as "teamId", destination, count(*) filter (where leased_by is null and is_ready)::int as ready,
  count(*) filter (where leased_by is null and not is_ready)::int as waiting, count(*) filter (where leased_by is not null)::int as leased,
  min(due_at) filter (where leased_by is null and not is_ready and due_at < 'infinity') as "nextDueAt"
from (select * from deliveries where ${isPart} limit ${COUNTED_MAX}) d group by 1, 2, 3 order by count(*) desc, 1, 2, 3 limit $4`
