// How many runs automations have, and what became of their steps; in SQL, because rows are counted, and steps lie in JSON. Only the newest runs are
// read, so that a page takes no longer for an automation with a million.
import type { RunStatus, StepStatus } from '../../lib/automations/engine/run-state.ts'
import type { Database } from '../database.ts'

/** How many ended runs of each automation are counted. */
export const NEWEST_RUNS_MAX = 1_000
/** Beyond that it only counts that there are more. */
export const RUNNING_MAX = 10_000

/** `running`: of all, up to one more than `RUNNING_MAX`. The others: of the newest runs. */
export type RunCounts = Record<RunStatus, number>

/** Runs of the newest in which a step is in this state. `met`, `timedOut`: null unless it decided that. */
export type StepCount = {
  key: string
  status: StepStatus
  hasOutput: boolean
  met: boolean | null
  timedOut: boolean | null
  count: number
}

export function automationRunCountRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async ofAutomations(teamId: string, ids: string[]): Promise<Map<string, RunCounts>> {
      const rows = await execute<RunCounts & { id: string }>(RUNS, [teamId, ids, RUNNING_MAX + 1, NEWEST_RUNS_MAX])
      return new Map(rows.map(({ id, ...counts }) => [id, counts]))
    },

    /** Counts steps of the newest runs with this version of the graph. */
    ofSteps(teamId: string, { automationId, versionId }: { automationId: string; versionId: string }): Promise<StepCount[]> {
      return execute<StepCount>(STEPS, [teamId, automationId, versionId, NEWEST_RUNS_MAX])
    },
  }
}

const RUNS = `
select a.id, running.count as running, ended.completed, ended.failed, ended.cancelled
from automations a cross join lateral (
  select count(*)::int as count from (
    select from automation_runs r where r.automation_id = a.id and r.status = 'running' and r.stop_seen is not distinct from a.stopped_at limit $3
  ) r
) running cross join lateral (
  select count(*) filter (where r.status = 'completed')::int as completed, count(*) filter (where r.status = 'failed')::int as failed,
    count(*) filter (where r.status = 'cancelled' or (r.status = 'running' and r.stop_seen is distinct from a.stopped_at))::int as cancelled
  from (select status, stop_seen from automation_runs where automation_id = a.id order by id desc limit $4) r
) ended
where a.team_id = $1 and a.id = any($2::uuid[])`

const STEPS = `
select s.key, s.value ->> 'status' as status, s.value -> 'output' <> 'null' as "hasOutput", (s.value -> 'output' ->> 'met')::boolean as met,
  (s.value -> 'output' ->> 'timed_out')::boolean as "timedOut", count(*)::int as count
from (
  select state from automation_runs where version_id = $3 and team_id = $1 and automation_id = $2 order by id desc limit $4
) r cross join lateral jsonb_each(r.state -> 'steps') s
group by 1, 2, 3, 4, 5`
