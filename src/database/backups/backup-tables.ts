// What of a database a backup has: the tables of the models and those of the job queue, whatever else is in the same database.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { RESTORE_MARKER } from '../../lib/restore-marker.ts'
import type { BackupTable } from '../../schemas/backup-manifest.ts'
import { schemaFolder } from '../migrations/migrate.ts'

export type StoredTable = Pick<BackupTable, 'of' | 'name' | 'columns'> & {
  /** On the disk, without indexes. */
  bytes: number
}

/** The schema of graphile-worker. Its table of migrations is filled when the schema is created. */
const QUEUE_SCHEMA = 'graphile_worker'
const QUEUE_TABLES = ['_private_job_queues', '_private_jobs', '_private_known_crontabs', '_private_tasks']

/** What only this program writes there, whatever a backup says. */
const OWN_RECORDS = ['_prisma_migrations', RESTORE_MARKER, 'migrations']

export type TableNames = Record<BackupTable['of'], string[]>

/** Finds which of the wanted tables exist, with their stored columns. Generated columns are computed anew. */
export async function storedTables(session: pg.ClientBase, wanted: TableNames = tablesOfModels()): Promise<StoredTable[]> {
  const { rows } = await session.query<Omit<StoredTable, 'bytes'> & { bytes: string }>(
    `select case when c.relnamespace = to_regnamespace('${QUEUE_SCHEMA}') then 'queue' else 'service' end as of, c.relname as name,
       (select array_agg(attname::text order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
       coalesce((select sum(pg_table_size(relid)) from pg_partition_tree(c.oid)), pg_table_size(c.oid))::text as bytes
     from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($3::text[])
       and (c.relnamespace = current_schema()::regnamespace and c.relname = any($1::text[])
         or c.relnamespace = to_regnamespace('${QUEUE_SCHEMA}') and c.relname = any($2::text[]))
     order by c.relname`,
    [wanted.service, wanted.queue, OWN_RECORDS],
  )
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

/** Whether there is anything that a restore would have to spare. What extensions bring does not count. */
export async function isEmptyDatabase(session: pg.ClientBase): Promise<boolean> {
  const { rows } = await session.query<{ isEmpty: boolean }>(
    `select not exists (
       select from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relnamespace in (current_schema()::regnamespace, to_regnamespace('${QUEUE_SCHEMA}'))
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     ) as "isEmpty"`,
  )
  return rows[0]?.isEmpty === true
}

/** How many changes the tables of the job queue have had. */
export async function queueMigration(session: pg.ClientBase): Promise<number> {
  const { rows } = await session.query<{ id: number }>(`select coalesce(max(id), 0)::int as id from ${QUEUE_SCHEMA}.migrations`)
  return rows[0]?.id ?? 0
}

/** The name as SQL writes it. */
export const qualified = ({ of, name }: Pick<BackupTable, 'of' | 'name'>): string =>
  of === 'queue' ? `${QUEUE_SCHEMA}.${quoted(name)}` : quoted(name)

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const columnList = ({ columns }: Pick<BackupTable, 'columns'>): string => columns.map(quoted).join(', ')

/** A test keeps the models and the tables the same. */
export function tablesOfModels(schema = schemaFolder): TableNames {
  const folder = join(schema, 'models')
  const service = readdirSync(folder).flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^ {2}@@map\("(\w+)"\)$/gm)].flatMap(([, table]) => table ?? []),
  )
  return { service, queue: QUEUE_TABLES }
}

/** All tables of a database that an earlier version made: it may have some that are in no model of today. */
export async function tablesOfDatabase(session: pg.ClientBase): Promise<TableNames> {
  const { rows } = await session.query<{ name: string }>(
    `select relname as name from pg_class c
     where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`,
  )
  return { service: rows.map(({ name }) => name), queue: QUEUE_TABLES }
}

/** What others have put into the database: tables and views, in any schema. What extensions bring does not count. */
export async function relationsOfOthers(session: pg.ClientBase, { service }: TableNames): Promise<string[]> {
  const { rows } = await session.query<{ name: string }>(
    `select case when c.relnamespace = current_schema()::regnamespace then c.relname else n.nspname || '.' || c.relname end as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
       and n.nspname not in ('${QUEUE_SCHEMA}', 'information_schema') and not starts_with(n.nspname, 'pg_')
       and not (c.relnamespace = current_schema()::regnamespace and c.relname = any($1::text[]))
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by name`,
    [service],
  )
  return rows.map(({ name }) => name)
}

/** The tables of a backup depend on the version that made it, so some may be in no model of today. */
export function tablesOfBackup(tables: Pick<BackupTable, 'of' | 'name'>[]): TableNames {
  const names = (of: BackupTable['of']) => tables.filter((table) => table.of === of).map(({ name }) => name)
  return { service: names('service'), queue: names('queue') }
}
