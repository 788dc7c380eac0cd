// Tells runs what happened to their contacts; in SQL, because rows are made of rows, and one probe finds the runs that wait.
import { type Execute, statement } from '../database.ts'

/** Runs that one occurrence is told to at a time. */
export const RUNS_TOLD_MAX = 1_000

/** `toldThrough`: the last run that was told of it before. */
export type TellingOccurrence = { seq: string; toldThrough: string | null }

/**
 * Tells the runs that wait for these events, and wakes them. Their contacts are held, so that none is deleted meanwhile.
 *
 * @returns for each occurrence that more runs wait for, the last run that was told
 */
export async function tellRuns(execute: Execute, occurrences: TellingOccurrence[], now: Date): Promise<Map<string, string>> {
  const told = await execute<{ seq: string; runId: string; isNew: boolean; isFull: boolean }>(TELL, [occurrences.map(({ seq }) => seq)])
  const runIds = [...new Set(told.filter(({ isNew }) => isNew).map(({ runId }) => runId))]
  if (runIds.length > 0) await execute(WAKE, [runIds, now])
  return new Map(told.filter(({ isFull }) => isFull).map(({ seq, runId }) => [seq, runId]))
}

// An event whose transaction had ended when the wait began is older than the wait. A snapshot of a later transaction than any that this database has had
// came with a restore, and says nothing. A run can be told again where the last bite ended; its facts are keyed.
const TELL = statement(
  'tell-runs',
  `
with told as materialized (
  select o.seq, o.id, o.name, o.payload, w.run_id, w.step_key, w.place,
    not pg_visible_in_snapshot(o.committed_by, w.begun) or pg_snapshot_xmax(w.begun) > pg_snapshot_xmax(pg_current_snapshot()) as is_new
  from automation_occurrences o
  cross join lateral (
    select w.run_id, w.step_key, w.begun, row_number() over (order by w.run_id, w.step_key) as place from automation_waits w
     where w.team_id = o.team_id and w.contact_id = o.contact_id and w.event_name = o.name
       and (o.run_id is null or w.run_id = o.run_id) and (o.told_through is null or w.run_id >= o.told_through)
     order by w.run_id, w.step_key limit ${RUNS_TOLD_MAX}
  ) w
  where o.seq = any($1::bigint[])
), facts as (
  insert into automation_facts (run_id, seq, step_key, event_id, event_name, payload)
  select t.run_id, t.seq, t.step_key, t.id, t.name, t.payload from told t where t.is_new
  on conflict do nothing
)
select t.seq::text as seq, t.run_id as "runId", t.is_new as "isNew", t.place = ${RUNS_TOLD_MAX} as "isFull" from told t`,
)

// A bare comparison of the status would let PostgreSQL walk along the index of what runs in each automation.
const WAKE = statement(
  'wake-runs',
  `
update automation_runs r set wake_at = $2
from (select id from automation_runs where id = any($1::uuid[]) and coalesce(status) = 'running' order by id for update) woken where r.id = woken.id`,
)
