// Whether the database answers, its clock, and the version of its tables; in SQL, because it reads no table of the models.
import type { Database } from './database.ts'
import { isDiskFull, isUnavailable } from './database-errors.ts'

// What operators see of the database itself; in SQL, because it asks PostgreSQL and reads no table of ours.

export type PartitionedTable = { table: string; count: number; first: string; last: string; bytes: number }

export function databaseFactRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async version(): Promise<string> {
      const [row] = await execute<{ version: string }>(`select current_setting('server_version') as version`)
      return row?.version ?? ''
    },

    /** For each partitioned table: the number of partitions, the first and the last, and the bytes of all. */
    partitions: (): Promise<PartitionedTable[]> => execute<PartitionedTable>(PARTITIONS),
  }
}

const PARTITIONS = `
select parent.relname as table, count(*)::int as count, min(child.relname) as first, max(child.relname) as last,
  sum(pg_total_relation_size(child.oid))::float8 as bytes
from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
where parent.relkind = 'p' and child.relkind = 'r' and parent.relnamespace = current_schema()::regnamespace group by 1 order by 1`

/** More than the pages that are free in a file. Emails wait for more than this. */
const TRY_TO_STORE = `create temporary table room on commit drop as select repeat('x', 1000) as text from generate_series(1, 1000)`

export function healthRepository({ execute, transaction, disk }: Pick<Database, 'execute' | 'transaction' | 'disk'>) {
  return {
    /** Whether the database answers. */
    async answers(): Promise<boolean> {
      return execute('select 1').then(
        () => true,
        () => false,
      )
    },

    /** Whether there is room on the disk of the database. Writes a megabyte, and undoes that, once a statement has found none. */
    async hasRoom(): Promise<boolean> {
      if (!disk.isFull) return true
      const problem = await transaction(async (inside) => {
        // Where the tables are.
        await inside(`set local temp_tablespaces = ''`)
        await inside(TRY_TO_STORE)
      }).catch((error: unknown) => error)
      // Who may make no temporary tables is told by the next statement that stores something.
      disk.isFull = isDiskFull(problem) || isUnavailable(problem)
      return !disk.isFull
    },

    /** The last migration of the tables, which may be newer than this program. */
    async schema(): Promise<string | null> {
      const [row] = await execute<{ name: string }>(
        'select migration_name as name from _prisma_migrations where finished_at is not null order by migration_name desc limit 1',
      )
      return row?.name ?? null
    },

    /** What time it is for the database. */
    async now(): Promise<Date | null> {
      const [row] = await execute<{ now: Date }>('select clock_timestamp() as now')
      return row?.now ?? null
    },
  }
}
