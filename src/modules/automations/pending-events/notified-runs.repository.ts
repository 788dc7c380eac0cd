// Tells runs what happened to their contacts; in SQL, because rows are made of rows, and one probe finds the runs that wait.
import { type Execute, statement } from '../../../db/database.ts'

/** These events could not be dispatched to automations. The cause says why. */
export class NotDispatched extends Error {
  readonly events: { seq: string; teamId: string }[]

  constructor(events: { seq: string; teamId: string }[], cause: unknown) {
    super('Events were not dispatched', { cause })
    this.events = events
  }
}

/** Runs that one occurrence is dispatched to at a time. */
export const RUNS_NOTIFIED_MAX = 1_000

/**
 * Tells the runs that wait for these events, and wakes them. Their contacts are held, so that none is deleted meanwhile.
 *
 * @param starting those that stay in the queue although all runs that wait for them are dispatched
 * @returns those for which more runs wait
 */
export async function notifyRuns(
  execute: Execute,
  { seqs, starting }: { seqs: string[]; starting: string[] },
  { now, isLast }: { now: Date; isLast: boolean },
): Promise<Set<string>> {
  const unfinished = await execute<{ seq: string }>(TELL, [seqs, now, starting], { isLast })
  return new Set(unfinished.map(({ seq }) => seq))
}

// An address may have become a contact since its event was stored. An event whose transaction had ended when the wait began is older than the wait. A
// snapshot of a later transaction than any that this database has had came with a restore, and says nothing. A run can be dispatched again where the last batch
// ended; its facts are keyed. Runs are held before they are dispatched: one that ended meanwhile would never take note of it. A bare comparison of the status
// would let PostgreSQL walk along the index of what runs in each automation.
const TELL = statement(
  'tell-runs',
  `
with told as materialized (
  select o.seq, o.id, o.name, o.payload, w.run_id, w.step_key, w.place = ${RUNS_NOTIFIED_MAX} as is_full,
    not pg_visible_in_snapshot(o.committed_by, w.begun) or pg_snapshot_xmax(w.begun) > pg_snapshot_xmax(pg_current_snapshot()) as is_new
  from automation_occurrences o
  cross join lateral (
    select c.id from contacts c where c.id = o.contact_id
    union all select c.id from contacts c where o.contact_id is null and c.team_id = o.team_id and c.email = o.email
  ) contact
  cross join lateral (
    select w.run_id, w.step_key, w.begun, row_number() over (order by w.run_id, w.step_key) as place from automation_waits w
     where w.team_id = o.team_id and w.contact_id = contact.id and w.event_name = o.name
       and (o.run_id is null or w.run_id = o.run_id) and (o.told_through is null or w.run_id >= o.told_through)
     order by w.run_id, w.step_key limit ${RUNS_NOTIFIED_MAX}
  ) w
  where o.seq = any($1::bigint[])
), held as materialized (
  select t.* from (select * from told where is_new order by run_id) t
  cross join lateral (select from automation_runs r where r.id = t.run_id and coalesce(r.status) = 'running' for update) r
), facts as (
  insert into automation_facts (run_id, seq, step_key, event_id, event_name, payload)
  select run_id, seq, step_key, id, name, payload from held
  on conflict do nothing
), woken as (
  update automation_runs r set wake_at = $2 where r.id = any(array(select run_id from held))
), unfinished as (
  update automation_occurrences o set told_through = (select t.run_id from told t where t.is_full and t.seq = o.seq)
   where o.seq = any(array(select seq from told where is_full)) returning o.seq
), finished as (
  delete from automation_occurrences o
   where o.seq = any($1::bigint[]) and o.seq <> all($3::bigint[]) and o.seq <> all(array(select seq from told where is_full))
)
select seq::text as seq from unfinished`,
)
