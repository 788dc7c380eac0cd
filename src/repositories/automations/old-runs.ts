// What automations need no longer, removed in batches; in SQL, because rows are found and removed a slice of ids at a time. Crosses teams: for workers.
import { idBound } from '../../lib/ids.ts'
import { CONTACT_DELETED, FORGET_RUNS } from '../contacts/forgotten-contacts.ts'
import type { Database } from '../database.ts'

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
          const removed = await inside(REMOVE, [over.filter(({ isCounted }) => !isCounted).map(({ id }) => id)])
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

    /** Removes events that could not be told, once they are as old as sent events are kept. Returns how many. */
    async removeUntoldAcrossTeams(before: Date): Promise<number> {
      return (await execute(UNTOLD, [before, ROWS_MAX])).length
    },
  }
}

const lastOf = (slice: { id: string }[], rowsMax: number): string | null => (slice.length === rowsMax ? (slice.at(-1)?.id ?? null) : null)

const SLICE = `
select r.id, r.status <> 'running' and r.completed_at < $4 as "isOver",
  exists (select from automations a where a.id = r.automation_id and (a.reentry = 'once' or a.max_runs_per_contact is not null)) as "isCounted"
from automation_runs r where r.id > $1::uuid and r.id < $2::uuid order by r.id limit $3`

const REMOVE = `
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

const UNTOLD = `
delete from automation_occurrences where seq = any(array(
  select seq from automation_occurrences where set_aside_until = 'infinity' and created_at < $1 order by seq limit $2
)) returning 1 as one`
