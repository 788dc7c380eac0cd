// Runs of automations that were stopped or deleted, cleared in batches; in SQL, because rows are found and changed a batch at a time. For workers.
import { stored } from '../../../db/columns.ts'
import type { Database, Execute } from '../../../db/database.ts'
import { addJob, CLEAR_AUTOMATION } from '../../../db/jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { idBound, LOWEST_ID } from '../../../lib/ids.ts'
import { CONTACT_DELETED, FORGET_RUNS } from '../forgotten-contacts.repository.ts'
import type { Connection, Graph, Step } from '../graph/graph.ts'

// What automations need no longer, removed in batches; in SQL, because rows are found and removed a slice of ids at a time. Crosses teams: for workers.

/** Rows that one step looks at. */
const ROWS_MAX = 5_000

/** `last`: after which the next step begins; null at the end. */
export type RemovalStep = { removed: number; last: string | null }

type OldRun = { id: string; isOver: boolean; isCounted: boolean }

export function oldRunRepository({ transaction, execute }: Pick<Database, 'transaction' | 'execute'>) {
  return {
    /**
     * Removes runs that ended before a time. Those that decide whether their contact may start the automation again are kept, without all that they
     * knew.
     */
    removeEndedAcrossTeams(before: Date, { after, rowsMax = ROWS_MAX }: { after: string; rowsMax?: number }): Promise<RemovalStep> {
      return transaction(
        async (inside) => {
          const slice = await inside<OldRun>(SLICE, [after, idBound(before.getTime()), rowsMax, before])
          const over = slice.filter(({ isOver }) => isOver)
          const counted = over.filter(({ isCounted }) => isCounted).map(({ id }) => id)
          const removed = await inside(REMOVE_OLD_RUNS, [over.filter(({ isCounted }) => !isCounted).map(({ id }) => id)])
          if (counted.length > 0) await inside(FORGET_RUNS, [counted, before, CONTACT_DELETED])
          return { removed: removed.length, last: lastOf(slice, rowsMax) }
        },
        { plans: 'row by row' },
      )
    },

    /** Removes graphs that are no longer those of their automations, and that no run has. */
    async removeVersionsAcrossTeams({ after, rowsMax = ROWS_MAX }: { after: string; rowsMax?: number }): Promise<RemovalStep> {
      const slice = await execute<{ id: string; isGone: boolean }>(VERSIONS, [after, rowsMax])
      return { removed: slice.filter(({ isGone }) => isGone).length, last: lastOf(slice, rowsMax) }
    },

    /** Removes events that could not be dispatched, once they are as old as sent events are kept. Returns how many. */
    async removeUndispatchedAcrossTeams(before: Date): Promise<number> {
      return (await execute(UNDISPATCHED, [before, ROWS_MAX])).length
    },
  }
}

const lastOf = (slice: { id: string }[], rowsMax: number): string | null => (slice.length === rowsMax ? (slice.at(-1)?.id ?? null) : null)

const SLICE = `
select r.id, r.status <> 'running' and r.completed_at < $4 as "isOver",
  exists (select from automations a where a.id = r.automation_id and (a.reentry = 'once' or a.max_runs_per_contact is not null)) as "isCounted"
from automation_runs r where r.id > $1::uuid and r.id < $2::uuid order by r.id limit $3`

const REMOVE_OLD_RUNS = `
with old as materialized (select id from automation_runs where id = any($1::uuid[]) order by id for update)
delete from automation_runs r using old where r.id = old.id returning r.id`

// A graph that is not that of its automation is given to no further run: who changes an automation waits for the runs that start.
const VERSIONS = `
with slice as materialized (
  select id, automation_id from automation_versions where id > $1::uuid order by id limit $2
), gone as (
  delete from automation_versions v using slice s where v.id = s.id
    and not exists (select from automations a where a.id = s.automation_id and a.version_id = s.id)
    and not exists (select from automation_runs r where r.version_id = s.id) returning v.id
)
select s.id, g.id is not null as "isGone" from slice s left join gone g on g.id = s.id order by s.id`

const UNDISPATCHED = `
delete from automation_occurrences where seq = any(array(
  select seq from automation_occurrences where set_aside_until = 'infinity' and created_at < $1 order by seq limit $2
)) returning 1 as one`

/** Runs of a batch. */
const RUNS_MAX = 500
/** Blocks of a table that are searched at once for rows without a run. */
const BLOCKS_MAX = 500

export function automationRunRepository(
  { tables, transaction, execute }: Pick<Database, 'tables' | 'transaction' | 'execute'>,
  { clock }: { clock: Clock },
) {
  return {
    /** The steps of a run; null if they are gone. */
    async graphOf(teamId: string, versionId: string): Promise<Graph | null> {
      const version = await tables.automationVersion.findFirst({
        where: { teamId, id: versionId },
        select: { steps: true, connections: true },
      })
      return version && { steps: stored<Step[]>(version.steps), connections: stored<Connection[]>(version.connections) }
    },

    /**
     * Cancels some of the runs after this one that had begun when the automation was stopped. Of a deleted one, removes some of its runs, and at the end
     * what is left of it. Returns how many runs, and the last of them. The next batch begins after it, so that it does not read over what was cleared.
     */
    clearAcrossTeams(automationId: string, after: string): Promise<{ cleared: number; last: string | null }> {
      return transaction(async (inside) => {
        const [automation] = await inside<{ isDeleted: boolean }>(
          'select deleted_at is not null as "isDeleted" from automations where id = $1 for key share',
          [automationId],
        )
        if (!automation) return NOTHING_CLEARED
        const ids = await held(inside, automation.isDeleted ? ALL : RUNNING, [automationId, after])
        const last = ids.at(-1) ?? null
        if (!automation.isDeleted)
          return { cleared: await countRows(inside, CANCEL, [ids, clock.now(), 'The automation was stopped.']), last }
        const cleared = await countRows(inside, REMOVE, [ids])
        // A run that started while its automation was deleted may have a lower id than others.
        if (last === null && after === LOWEST_ID) {
          await inside('delete from automation_versions where automation_id = $1', [automationId])
          await inside('delete from automations where id = $1', [automationId])
        }
        return { cleared, last }
      })
    },

    enqueueClearing: (automationId: string): Promise<void> => addClearing(execute, automationId),

    /** Removes waits, facts and followed emails whose run has ended or is gone, for example after a restore. */
    async removeOrphansAcrossTeams({ signal }: { signal: AbortSignal }): Promise<number> {
      let removed = 0
      for (const table of ['automation_waits', 'automation_facts', 'automation_emails']) {
        const [size] = await execute<{ blocks: number }>(
          `select (pg_relation_size('${table}') / current_setting('block_size')::int)::int as blocks`,
        )
        for (let block = 0; block < (size?.blocks ?? 0); block += BLOCKS_MAX) {
          signal.throwIfAborted()
          removed += await countRows(execute, orphansStatement(table), [`(${block},0)`, `(${block + BLOCKS_MAX},0)`])
        }
      }
      return removed
    },

    /** Automations that have something to clear: their job may have been lost. */
    async uncleared(): Promise<string[]> {
      return (await execute<{ id: string }>(UNCLEARED)).map(({ id }) => id)
    },
  }
}

/** Clears an automation after it was stopped or deleted. The request does not wait for it. */
export const addClearing = (execute: Execute, automationId: string): Promise<void> =>
  addJob(execute, CLEAR_AUTOMATION, { automationId }, null, `${CLEAR_AUTOMATION}/${automationId}`)

async function countRows(execute: Execute, sql: string, values: unknown[]): Promise<number> {
  const [row] = await execute<{ count: number }>(sql, values)
  return row?.count ?? 0
}

/** Locks a batch in a statement of its own: the next one sees what was stored of these runs before they were held. */
async function held(execute: Execute, sql: string, [automationId, after]: [string, string]): Promise<string[]> {
  return (await execute<{ id: string }>(sql, [automationId, RUNS_MAX, after])).map(({ id }) => id)
}

const NOTHING_CLEARED = { cleared: 0, last: null }

const RUNNING = `
select r.id from automation_runs r join automations a on a.id = r.automation_id
where r.automation_id = $1 and r.id > $3 and r.status = 'running' and r.stop_seen is distinct from a.stopped_at order by r.id limit $2 for update of r`

const ALL = 'select id from automation_runs where automation_id = $1 and id > $3 order by id limit $2 for update'

const gone = `batch as materialized (
  select id, team_id, contact_id from automation_runs where id = any($1::uuid[])
), gone_waits as (
  delete from automation_waits w using batch b where w.team_id = b.team_id and w.contact_id = b.contact_id and w.run_id = b.id
), gone_facts as (
  delete from automation_facts f using batch b where f.run_id = b.id
), gone_emails as (
  delete from automation_emails e using batch b where e.run_id = b.id
)`

// The time is written as the pure function writes it.
const CANCEL = `
with ${gone}, cancelled as (
  update automation_runs r set status = 'cancelled', reason = $3, wake_at = null, leased_by = null, completed_at = $2,
    state = case when r.state ->> 'at' is null then r.state else jsonb_set(r.state, array['steps', r.state ->> 'at'],
      (r.state #> array['steps', r.state ->> 'at']) || jsonb_build_object('status', 'skipped', 'completedAt', to_char($2::timestamptz, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    end || jsonb_build_object('status', 'cancelled', 'reason', $3::text, 'at', null)
  from batch b where r.id = b.id returning 1
)
select count(*)::int as count from cancelled`

const REMOVE = `
with ${gone}, removed as (
  delete from automation_runs r using batch b where r.id = b.id returning 1
)
select count(*)::int as count from removed`

const UNCLEARED = `
select a.id from automations a where a.deleted_at is not null
  or (a.stopped_at is not null and exists (select from automation_runs r where r.automation_id = a.id and r.status = 'running' and r.stop_seen is distinct from a.stopped_at))
limit 1000`

const orphansStatement = (table: string): string => `
with orphans as (
  delete from ${table} t where t.ctid >= $1::tid and t.ctid < $2::tid
    and not exists (select from automation_runs r where r.id = t.run_id and coalesce(r.status) = 'running') returning 1
)
select count(*)::int as count from orphans`
