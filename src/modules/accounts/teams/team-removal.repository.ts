// Removes what a deleted team has, from every table that names a team: the catalog lists them, so that no new table is forgotten.
import type { Database } from '../../../db/database.ts'
import { isReferenced } from '../../../db/database-errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { COUNTED_MAX, COUNTED_TABLES, REMOVAL_AFTER_DAYS, type RemovedCounts } from './team-states.ts'

/** A statement that removes more would hold its locks for too long. */
const ROWS_MAX = 1_000
/** A part of a table without an index by team that one statement reads, 8 MB. */
const BLOCKS_MAX = 1_000
const TEAMS_MAX = 10

/** Tables that belong to a team by another table: their own column, and the table whose id it is. */
export const TABLES_BY_PARENT: readonly { table: string; column: string; parent: string }[] = [
  { table: 'contact_segments', column: 'contact_id', parent: 'contacts' },
  { table: 'contact_topics', column: 'contact_id', parent: 'contacts' },
  { table: 'contact_import_refusals', column: 'import_id', parent: 'contact_imports' },
  { table: 'contact_job_refusals', column: 'job_id', parent: 'contact_jobs' },
  { table: 'automation_facts', column: 'run_id', parent: 'automation_runs' },
  { table: 'automation_emails', column: 'run_id', parent: 'automation_runs' },
  { table: 'broadcast_acts', column: 'broadcast_id', parent: 'broadcasts' },
  { table: 'broadcast_marks', column: 'broadcast_id', parent: 'broadcasts' },
  { table: 'broadcast_clicks', column: 'broadcast_id', parent: 'broadcasts' },
  { table: 'broadcast_links', column: 'broadcast_id', parent: 'broadcasts' },
  { table: 'webhook_failures', column: 'webhook_id', parent: 'webhooks' },
  { table: 'oauth_records', column: 'grant_id', parent: 'oauth_grants' },
  { table: 'quota_uses', column: 'reservation_id', parent: 'quota_reservations' },
]

/** A table of the catalog. Partitions are tables of their own. */
export type TeamTable = { table: string; blocks: number; hasIndex: boolean }

export function teamRemovalRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>, { clock }: { clock: Clock }) {
  /** The audit log gives up its rows only to a transaction that says why. */
  const remove = (sql: string, teamId: string): Promise<unknown[]> =>
    transaction(async (inside) => {
      await inside(`set local posthaste.audit_log = 'retention'`)
      return inside(sql, [teamId])
    })

  return {
    /** What the deletion of a team would remove. */
    async count(teamId: string): Promise<RemovedCounts> {
      const entries = Object.entries(COUNTED_TABLES).map(([what, table]) => `(${counted(table)}) as "${what}"`)
      const [row] = await execute<RemovedCounts>(`select ${entries.join(', ')}`, [teamId])
      if (!row) throw new Error('A count has no row')
      return row
    },

    /** Teams whose time to be restored is over. From then on they are gone for everyone. */
    async beginAcrossTeams(): Promise<string[]> {
      const rows = await execute<{ id: string }>(BEGIN, [clock.now(), REMOVAL_AFTER_DAYS])
      return rows.map(({ id }) => id)
    },

    /** Every table with the column `team_id`, but `teams` itself. */
    tables: (): Promise<TeamTable[]> => execute<TeamTable>(TABLES),

    /** Removes some rows of a table that belongs to a team by its parent. Returns how many. */
    async removeByParent(teamId: string, { table, column, parent }: (typeof TABLES_BY_PARENT)[number]): Promise<number> {
      const some = `select c.ctid from ${parent} p join ${table} c on c.${column} = p.id where p.team_id = $1 limit ${ROWS_MAX}`
      return (await remove(`delete from "${table}" where ctid = any(array(${some})) returning 1 as removed`, teamId)).length
    },

    /**
     * Removes the rows of a table, some at a time, until it has none or the signal comes. False if a table that still has rows refers to them.
     */
    async removeRows(teamId: string, { table, blocks, hasIndex }: TeamTable, signal: AbortSignal): Promise<boolean> {
      const some = `select ctid from "${table}" where team_id = $1 limit ${ROWS_MAX}`
      const removeSome = () => remove(`delete from "${table}" where ctid = any(array(${some})) returning 1 as removed`, teamId)
      try {
        if (hasIndex) while (!signal.aborted && (await removeSome()).length > 0);
        else
          for (let from = 0; from <= blocks && !signal.aborted; from += BLOCKS_MAX) {
            const part = `ctid >= '(${from},0)'::tid and ctid < '(${from + BLOCKS_MAX},0)'::tid`
            await remove(`delete from "${table}" where ${part} and team_id = $1`, teamId)
          }
        return true
      } catch (error) {
        if (isReferenced(error)) return false
        throw error
      }
    },

    /** The last of it. */
    async removeTeam(teamId: string): Promise<boolean> {
      return (await execute(`delete from teams where id = $1 and removing_since is not null returning id`, [teamId])).length > 0
    },
  }
}

const counted = (table: string): string =>
  `select count(*)::int from (select from "${table}" where team_id = $1 limit ${COUNTED_MAX}) counted`

const BEGIN = `
update teams t set removing_since = coalesce(removing_since, $1) where id = any(array(
  select id from teams where deleted_at <= $1::timestamptz - make_interval(days => $2) order by deleted_at limit ${TEAMS_MAX}
)) returning t.id`

const TABLES = `
select c.relname as "table", (pg_relation_size(c.oid) / current_setting('block_size')::int)::int as blocks, exists (
  select from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indpred is null and i.indisvalid
) as "hasIndex"
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
order by c.relname`
