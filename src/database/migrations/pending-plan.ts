// The plan of the migrations that a database lacks.
import { join } from 'node:path'
import type pg from 'pg'
import { connectSession } from '../database-session.ts'
import { schemaFolder } from './migrate.ts'
import { compareHistory, readMigrationRecords, readMigrations } from './migration-history.ts'
import { planAll, type TablesThere } from './migration-plan.ts'
import { planLines } from './plan-lines.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'

/** A plan of what `migrate` would do, in lines for people. Changes nothing. @throws StartupProblem */
export async function planMigrations(databaseUrl: string, folder = schemaFolder): Promise<string[]> {
  const session = await connectSession(databaseUrl)
  try {
    await refuseUnfinishedRestore(session)
    const migrations = readMigrations(join(folder, 'migrations'))
    const records = await readMigrationRecords(session)
    const { pending } = compareHistory(migrations, records)
    const tables = await readTables(session)
    const planned = planAll(
      migrations.filter(({ name }) => pending.includes(name)),
      tables,
    )
    return planLines(planned, { isNew: records.length === 0 })
  } finally {
    await session.end().catch(() => {})
  }
}

/** Reads the tables of the schema in use. */
export async function readTables(session: pg.ClientBase): Promise<TablesThere> {
  const { rows } = await session.query<{ name: string; table: string; bytes: string }>(
    `select c.relname as name, coalesce(pg_partition_root(t.oid), t.oid)::regclass::text as table,
       case when c.relkind in ('r', 'm') then pg_total_relation_size(c.oid) else 0 end as bytes
     from pg_class c left join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'm', 'i', 'I')`,
  )
  const bytes = new Map<string, number>()
  for (const row of rows) bytes.set(row.table, (bytes.get(row.table) ?? 0) + Number(row.bytes))
  return { bytes, tableOf: new Map(rows.map((row) => [row.name, row.table])) }
}
