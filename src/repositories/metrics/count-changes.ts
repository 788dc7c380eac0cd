// Adds up what was counted in the transactions that made it happen; in SQL, because removing the changes and adding them is one statement.
import { COUNTERS, type Counter } from '../../lib/email-metrics.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import type { Database } from '../database.ts'
import { lockEmailCounts } from '../locks.ts'

/** A change is what one statement counted of one kind. */
const CHANGES_MAX = 10_000

const ROWS_REMOVED_MAX = 10_000

export type AddedCounts = {
  /** As many changes as are added up at a time: more may be left. */
  isFull: boolean
  totals: { counter: Counter; count: number }[]
}

export function countChangeRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /**
     * Takes changes away and adds them to the counts of their quarters of an hour, both in one statement: each counts once, in whatever order
     * their transactions are committed and wherever a process dies. One process does it at a time. Null if another one is doing it.
     */
    addUpAcrossTeams(): Promise<AddedCounts | null> {
      return transaction(async (inside) => {
        if (!(await lockEmailCounts(inside, { waits: false }))) return null
        const rows = await inside<{ metric: Counter | null; count: number; changes: number }>(ADD_UP, [CHANGES_MAX])
        const totals = rows.flatMap(({ metric, count }) => (metric === null ? [] : [{ counter: metric, count }]))
        return { isFull: rows.some(({ metric, changes }) => metric === null && changes === CHANGES_MAX), totals }
      })
    },

    /** Removes some of the counts of quarters of an hour before this time, but none of broadcasts. Returns how many. */
    removeBeforeAcrossTeams(before: Date): Promise<number> {
      return transaction(async (inside) => (await inside(REMOVE, [before, ROWS_REMOVED_MAX])).length)
    },
  }
}

const columns = COUNTERS.join(', ')

/** @internal for tests: its plan. */
export const ADD_UP = `
with taken as (
  delete from email_count_changes where id = any(array(select id from email_count_changes order by id limit $1))
  returning team_id, bucket, domain, broadcast_id, metric, count
), added as (
  insert into email_counts as c (team_id, bucket, domain, broadcast_id, ${columns})
  select team_id, bucket, domain, broadcast_id, ${COUNTERS.map((name) => `coalesce(sum(count) filter (where metric = '${name}'), 0)`).join(', ')}
  from taken group by 1, 2, 3, 4
  on conflict (team_id, bucket, domain, broadcast_id) do update set ${COUNTERS.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}
)
select metric, sum(count)::float8 as count, count(*)::float8 as changes from taken group by rollup (metric)`

const REMOVE = `
delete from email_counts where ctid = any(array(
  select ctid from email_counts where bucket < $1 and broadcast_id = '${LOWEST_ID}' limit $2
)) returning 1`
