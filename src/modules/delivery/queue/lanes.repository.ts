// The queue by lanes (class x team x destination): which have work, and how rows enter them, leave them and are parked; in SQL,
// because it is hot, recursive and set-based. For workers and operators.
// A function that moves rows moves a bounded batch and returns how many: ROWS_MOVED_MAX means that there may be more.

import { type Database, statement } from '../../../db/database.ts'
import { LOWEST_ID } from '../../../lib/ids.ts'
import { isOfStoppedTeam, isStopped } from '../../accounts/teams/team-states.sql.ts'
import type { LaneClass } from '../../emails/new-delivery.ts'
import { isPausedByGuard } from '../../limits/reputation.sql.ts'
import { LANES_MAX, type Lane, type QueuePart, ROWS_MOVED_MAX } from '../lanes.ts'

export function laneRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  const move = async (sql: string, part: QueuePart, now: Date): Promise<number> =>
    (await execute(sql, [part.class, part.teamId, part.destination, now])).length

  return {
    /** Lanes of a class that have ready rows, in order, after `after`. One index probe for each lane, however long it is. */
    listAcrossTeams(kind: LaneClass, after: Lane | null): Promise<Lane[]> {
      const values = [kind, after?.teamId ?? LOWEST_ID, after?.destination ?? '']
      return transaction((inside) => inside<Lane>(LIST, values, { isLast: true }), { plans: 'by index, kept' })
    },

    /** Teams that are suspended or deleted: all their lanes are paused. */
    async stoppedTeamsAcrossTeams(): Promise<string[]> {
      return (await execute<{ id: string }>(STOPPED)).map(({ id }) => id)
    },

    /** Makes due rows ready, the longest due first. */
    async promoteAcrossTeams(now: Date): Promise<number> {
      return (await execute(PROMOTE, [now])).length
    },

    /** Parks ready rows of these lanes if they are paused: they are never due until they are taken back. */
    async parkAcrossTeams(lanes: Lane[]): Promise<number> {
      const rows = await execute(PARK, [
        lanes.map((lane) => lane.class),
        lanes.map(({ teamId }) => teamId),
        lanes.map(({ destination }) => destination),
      ])
      return rows.length
    },

    /** Takes back parked rows of a part that no pause covers now: they are due at once. */
    unparkAcrossTeams: (part: QueuePart, now: Date): Promise<number> => move(UNPARK, part, now),

    /** Makes rows that wait for a retry due now. Scheduled emails keep their time, and paused rows stay paused. */
    retryAcrossTeams: (part: QueuePart, now: Date): Promise<number> => move(RETRY, part, now),
  }
}

// A loose index scan over deliveries_ready_idx, from one lane straight to the next. Where it begins is always a value: a plan that is kept would read all
// rows before it otherwise.
const LIST = statement(
  'lanes',
  `
with recursive lane as (
  (select team_id, destination from deliveries where is_ready and leased_by is null and class = $1
      and (team_id, destination) > ($2::uuid, $3::text) order by team_id, destination limit 1)
  union all
  select next.* from lane cross join lateral (
    select d.team_id, d.destination from deliveries d where d.is_ready and d.leased_by is null and d.class = $1
       and (d.team_id, d.destination) > (lane.team_id, lane.destination) order by d.team_id, d.destination limit 1
  ) next
)
select $1::text as class, team_id as "teamId", destination from lane limit ${LANES_MAX}`,
)

const STOPPED = `select t.id from teams t where ${isStopped('t')}`

const PROMOTE = `
with due as (
  select id from deliveries where not is_ready and leased_by is null and due_at <= $1 order by due_at, id limit ${ROWS_MOVED_MAX} for update skip locked
)
update deliveries d set is_ready = true from due where d.id = due.id returning d.id`

/** Whether the lane of a row lies in a part of the queue. */
export const isIn = (row: string, part: string): string =>
  `(${part}.class is null or ${part}.class = ${row}.class) and (${part}.team_id is null or ${part}.team_id = ${row}.team_id)
   and (${part}.destination is null or ${part}.destination = ${row}.destination)`

// The pause stays locked until this is committed. A transaction that removes it waits for that, and so finds every row that was parked because of
// it. A worker that has not noticed the removal yet finds no pause here and parks nothing.
const PARK = statement(
  'park',
  `
with pause as (
  select class, team_id, destination from queue_pauses for share
), stopped as (
  select t.id from teams t where t.id = any($2::uuid[]) and ${isStopped('t')} for share
), guarded as (
  select team_id from team_reputations where team_id = any($2::uuid[]) and status in ('bulk_paused', 'paused') order by team_id for share
), lane as (
  select l.* from unnest($1::text[], $2::uuid[], $3::text[]) as l(class, team_id, destination)
  where exists (select from pause where ${isIn('l', 'pause')}) or l.team_id in (select id from stopped)
     or l.team_id in (select team_id from guarded) and ${isPausedByGuard('l')}
), part as (
  select d.id from lane cross join lateral (
    select id from deliveries where is_ready and leased_by is null and class = lane.class and team_id = lane.team_id and destination = lane.destination
    order by id limit ${ROWS_MOVED_MAX} for update skip locked
  ) d limit ${ROWS_MOVED_MAX}
)
update deliveries d set is_ready = false, due_at = 'infinity' from part where d.id = part.id returning d.id`,
)

const isPart = `($1::text is null or d.class = $1) and ($2::uuid is null or d.team_id = $2) and ($3::text is null or d.destination = $3)`

const UNPARK = `
with part as (
  select d.id from deliveries d where not d.is_ready and d.leased_by is null and d.due_at = 'infinity' and ${isPart}
     and not exists (select from queue_pauses p where ${isIn('d', 'p')}) and not ${isOfStoppedTeam('d.team_id')} and not ${isPausedByGuard('d')}
   order by d.id limit ${ROWS_MOVED_MAX} for update skip locked
)
update deliveries d set due_at = $4 from part where d.id = part.id returning d.id`

const RETRY = `
with part as (
  select d.id from deliveries d join emails e on e.id = d.email_id
   where not d.is_ready and d.leased_by is null and d.due_at > $4 and d.due_at < 'infinity' and e.state <> 'scheduled' and ${isPart}
   limit ${ROWS_MOVED_MAX} for update of d skip locked
)
update deliveries d set due_at = $4 from part where d.id = part.id returning d.id`
