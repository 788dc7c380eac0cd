// Loads the rows of a backup into tables that are empty: all of them in one transaction, so that a restore that was cut short leaves none.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createId } from '../../lib/ids.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { holdQueue, markLoaded } from '../migrations/lock-waits.ts'
import { createPartition, listPartitions, parseDay } from '../partitions/daily-partitions.ts'
import {
  type BackupManifest,
  type BackupTable,
  columnList,
  qualified,
  queueMigration,
  quoted,
  storedTables,
  tablesOfBackup,
} from './backup-tables.ts'

type Backup = Pick<BackupManifest, 'made_at' | 'tables' | 'sequences' | 'partitions' | 'queue_migration'>

export type Loading = {
  /** The rows of a table, which fail if they are not what the backup says. */
  open(table: BackupTable): Promise<Readable>
  now: Date
  /**
   * `moved`: it stays the database of the same service, and nothing has happened since its rows were copied. So the queue is not held, and people stay
   * signed in.
   */
  as: 'restored' | 'moved'
}

/** What the rows are of, and what has become of the database when they cannot be loaded. */
const WORDS: Record<Loading['as'], { source: string; undone: string }> = {
  restored: { source: 'The backup', undone: 'Nothing was restored.' },
  moved: { source: 'The former database', undone: 'Nothing was changed.' },
}

/** The tables have to be those of the time of the backup. The queue of a restore is held from the moment on at which there are rows. */
export async function loadDatabase(session: pg.Client, backup: Backup, { open, now, as }: Loading): Promise<void> {
  await checkTables(session, backup, as)
  await createPartitions(session, backup)
  await session.query('begin')
  try {
    const triggering = await tablesWithTriggers(session)
    // What triggers would add is among the rows already, and rows that are only added are emptied here too.
    for (const table of triggering) await session.query(`alter table ${table} disable trigger user`)
    // Some migrations leave rows, which are among those of the backup too.
    if (backup.tables.length > 0) await session.query(`truncate ${backup.tables.map(qualified).join(', ')}`)
    for (const table of await inOrder(session, backup.tables)) await loadTable(session, table, { rows: await open(table), as })
    await forgetWorkers(session)
    if (as === 'restored') await endSessions(session)
    for (const table of triggering) await session.query(`alter table ${table} enable trigger user`)
    for (const { column, value, ...table } of backup.sequences)
      await session.query('select setval(pg_get_serial_sequence($1, $2), $3)', [
        qualified({ of: table.of, name: table.table }),
        column,
        value,
      ])
    await forgetSnapshots(session)
    if (as === 'restored') {
      await holdQueue(session, { backupAt: new Date(backup.made_at), now })
      await markLoaded(session)
    }
    await session.query('commit')
  } catch (error) {
    await session.query('rollback').catch(() => {})
    throw error
  }
  for (const table of backup.tables) await session.query(`analyze ${qualified(table)}`)
}

/** Before anything is written: a backup that this program cannot read as a whole is not read at all. */
async function checkTables(
  session: pg.Client,
  { tables, sequences, queue_migration: queueThen }: Backup,
  as: Loading['as'],
): Promise<void> {
  const { source, undone } = WORDS[as]
  const queueNow = await queueMigration(session)
  if (queueThen > queueNow)
    throw new StartupProblem(
      `${source} was made by a newer Posthaste: its job queue has had ${queueThen} changes, and that of this version ${queueNow}. Install that version or a later one.`,
    )
  const known = new Map((await storedTables(session, tablesOfBackup(tables))).map((table) => [qualified(table), new Set(table.columns)]))
  const unknown = [
    ...tables.flatMap((table) => table.columns.map((column) => [qualified(table), column] as const)),
    ...sequences.map(({ of, table, column }) => [qualified({ of, name: table }), column] as const),
  ].find(([table, column]) => !known.get(table)?.has(column))
  if (unknown)
    throw new StartupProblem(`${source} has a column that its version of the tables does not have: ${unknown.join('.')}. ${undone}`)
}

async function createPartitions(session: pg.Client, { partitions }: Backup): Promise<void> {
  for (const { table, days } of partitions) {
    const existing = new Set((await listPartitions(session, table)).map(({ name }) => parseDay(table, name)?.getTime()))
    for (const day of days.map((text) => new Date(`${text}T00:00:00Z`)))
      if (!existing.has(day.getTime())) await createPartition(session, table, day)
  }
}

async function tablesWithTriggers(session: pg.Client): Promise<string[]> {
  const { rows } = await session.query<{ name: string }>(
    `select distinct t.tgrelid::regclass::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and not c.relispartition and c.relnamespace in (current_schema()::regnamespace, to_regnamespace('graphile_worker'))`,
  )
  return rows.map(({ name }) => name)
}

/** What others refer to comes first. */
async function inOrder(session: pg.Client, tables: BackupTable[]): Promise<BackupTable[]> {
  const { rows } = await session.query<{ child: string; parent: string }>(
    `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  )
  const plain = ({ of, name }: BackupTable): string => (of === 'queue' ? `graphile_worker.${name}` : name)
  const ordered: BackupTable[] = []
  const visit = (table: BackupTable, path: BackupTable[]): void => {
    if (ordered.includes(table) || path.includes(table)) return
    const parents = rows.filter(({ child }) => child === plain(table)).map(({ parent }) => parent)
    for (const other of tables) if (parents.includes(plain(other))) visit(other, [...path, table])
    ordered.push(table)
  }
  for (const table of tables) visit(table, [])
  return ordered
}

async function loadTable(session: pg.Client, table: BackupTable, { rows, as }: { rows: Readable; as: Loading['as'] }): Promise<void> {
  const stream = session.query(copyFrom(`copy ${qualified(table)} (${columnList(table)}) from stdin`))
  await pipeline(rows, stream)
  if (stream.rowCount !== table.rows)
    throw new StartupProblem(
      `${WORDS[as].source} says that ${table.name} has ${table.rows} rows, and its file has ${stream.rowCount}. ${WORDS[as].undone}`,
    )
}

/** Signing out and used links are forgotten with what came after the backup, so that everyone signs in again. */
const SIGNED_IN = ['sessions', 'sign_in_links', 'operator_sessions', 'operator_links']

async function endSessions(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(quote_ident(name)) is not null',
    [SIGNED_IN],
  )
  for (const { name } of rows) await session.query(`delete from ${quoted(name)}`)
}

/**
 * Numbers of transactions are those of the server that gave them. With a snapshot from elsewhere, events would one day count as older than the waits for
 * them. One that says nothing lets every event count as new.
 */
async function forgetSnapshots(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ exists: boolean }>(`select to_regclass('automation_waits') is not null as exists`)
  if (rows[0]?.exists) await session.query(`update automation_waits set begun = '1:1:'`)
}

/**
 * A worker of the backed-up database that still runs must not find its own claims here. All claims are given to a worker that does not exist, so the
 * first worker that starts releases them and settles their open attempts (db/leases/worker-leases.repository.ts).
 */
async function forgetWorkers(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind = 'r' and not c.relispartition and c.relnamespace = current_schema()::regnamespace and attname = 'leased_by' and not attisdropped`,
  )
  const gone = createId()
  for (const { name } of rows) await session.query(`update ${name} set leased_by = $1 where leased_by is not null`, [gone])
  for (const name of ['_private_jobs', '_private_job_queues'])
    await session.query(`update graphile_worker.${name} set locked_by = null, locked_at = null where locked_by is not null`)
  for (const name of ['worker_leases', 'service_processes']) {
    const { rowCount } = await session.query('select where to_regclass($1) is not null', [name])
    if (rowCount === 1) await session.query(`delete from ${name}`)
  }
}
