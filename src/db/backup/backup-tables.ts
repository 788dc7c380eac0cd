// What of a database a backup has: the tables of the models and those of the job queue, whatever else is in the same database.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import type pg from 'pg'
import { RESTORE_MARKER } from '../held.ts'
import { schemaFolder } from '../migrations/migrate.ts'

// What a backup says about itself. It is read from a folder that anyone may have changed, so every name in it is of a closed form: files are found by
// names, and none of these leads out of the folder.

/** Raised when a reader of the form before would misread a backup. */
export const BACKUP_FORMAT = 1

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0 })
/** The name of a table, a column or a migration. */
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]*$', maxLength: 63 })
const IsoTimestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })

const File = { bytes: Count, sha256: Sha256 }

/** A file of the folder `database`: the rows of a table, in the text format of COPY. */
export const BackupTable = Type.Object({
  /** `queue`: a table of the job queue, which has a schema of its own. */
  of: Type.Unsafe<'service' | 'queue'>({ type: 'string', enum: ['service', 'queue'] }),
  name: Name,
  columns: Type.Array(Name, { minItems: 1 }),
  rows: Count,
  ...File,
})

export const BackupManifest = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  /** Versions of the program and of the server that made it. */
  posthaste: Type.String({ maxLength: 50 }),
  postgres: Type.String({ maxLength: 50 }),
  /** What was committed before is in it. */
  made_at: IsoTimestamp,
  migrations: Type.Array(Type.Object({ name: Type.String({ pattern: '^[0-9]{4}_[a-z0-9_]+$', maxLength: 100 }), sha256: Sha256 })),
  /** How many changes of its tables the job queue has had. */
  queue_migration: Count,
  tables: Type.Array(BackupTable),
  /** The last number that each has given. */
  sequences: Type.Array(
    Type.Object({ of: BackupTable.properties.of, table: Name, column: Name, value: Type.String({ pattern: '^[0-9]{1,19}$' }) }),
  ),
  /** The days (UTC) for which a table has a partition. */
  partitions: Type.Array(Type.Object({ table: Name, days: Type.Array(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })) })),
  /** `blobs.sha256` names every stored file with its digest. `missing`: rows name them, but there was no such file. */
  blobs: Type.Object({ count: Count, missing: Count, stored_bytes: Count, ...File }),
  /** Null if SECRET_KEY was set outside of DATA_DIR. */
  secret_key: Type.Union([Type.Object(File), Type.Null()]),
})

export type BackupTable = Static<typeof BackupTable>
export type BackupManifest = Static<typeof BackupManifest>
/** What was written to a file. */
export type BackupFile = { bytes: number; sha256: string }

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

// A restored database is not the one that was backed up: neither may remove the files of the other (src/server/storage-owner.ts).

/** Returns its new id, for the mark beside its files. */
export async function ownStorage(session: pg.ClientBase): Promise<string> {
  const owner = randomUUID()
  await session.query(
    `insert into storage_owner (owner, is_marked) values ($1, true) on conflict (id) do update set owner = excluded.owner, is_marked = true`,
    [owner],
  )
  return owner
}
