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
  const told = await execute<Told>(TELL, [occurrences.map(({ seq }) => seq)])
  const fresh = told.filter(({ isNew }) => isNew)
  if (fresh.length > 0) {
    // Held before they are told: a run that ended meanwhile would never take note of it.
    const held = new Set((await execute<{ id: string }>(HOLD_RUNS, [fresh.map(({ runId }) => runId)])).map(({ id }) => id))
    const facts = fresh.filter(({ runId }) => held.has(runId))
    await execute(ADD_FACTS, [facts.map(({ seq }) => seq), facts.map(({ runId }) => runId), facts.map(({ stepKey }) => stepKey)])
    await execute(WAKE, [[...held], now])
  }
  return new Map(told.filter(({ isFull }) => isFull).map(({ seq, runId }) => [seq, runId]))
}

type Told = { seq: string; runId: string; stepKey: string; isNew: boolean; isFull: boolean }

// An event whose transaction had ended when the wait began is older than the wait. A snapshot of a later transaction than any that this database has had
// came with a restore, and says nothing. A run can be told again where the last bite ended; its facts are keyed.
const TELL = statement(
  'tell-runs',
  `
select o.seq::text as seq, w.run_id as "runId", w.step_key as "stepKey", w.place = ${RUNS_TOLD_MAX} as "isFull",
  not pg_visible_in_snapshot(o.committed_by, w.begun) or pg_snapshot_xmax(w.begun) > pg_snapshot_xmax(pg_current_snapshot()) as "isNew"
from automation_occurrences o
cross join lateral (
  select w.run_id, w.step_key, w.begun, row_number() over (order by w.run_id, w.step_key) as place from automation_waits w
   where w.team_id = o.team_id and w.contact_id = o.contact_id and w.event_name = o.name
     and (o.run_id is null or w.run_id = o.run_id) and (o.told_through is null or w.run_id >= o.told_through)
   order by w.run_id, w.step_key limit ${RUNS_TOLD_MAX}
) w
where o.seq = any($1::bigint[])`,
)

// A bare comparison of the status would let PostgreSQL walk along the index of what runs in each automation.
const HOLD_RUNS = statement(
  'hold-told-runs',
  `select id from automation_runs where id = any($1::uuid[]) and coalesce(status) = 'running' order by id for update`,
)

const ADD_FACTS = statement(
  'add-facts',
  `
insert into automation_facts (run_id, seq, step_key, event_id, event_name, payload)
select g.run_id, o.seq, g.step_key, o.id, o.name, o.payload
from unnest($1::bigint[], $2::uuid[], $3::text[]) as g(seq, run_id, step_key) join automation_occurrences o on o.seq = g.seq
on conflict do nothing`,
)

const WAKE = statement('wake-runs', 'update automation_runs set wake_at = $2 where id = any($1::uuid[])')
