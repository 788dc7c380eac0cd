// What operators see of the database itself; in SQL, because it asks PostgreSQL and reads no table of ours.
import type { Database } from './database.ts'

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
