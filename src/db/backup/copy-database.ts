// Copies the rows of a database as they were at one moment, while it is in use. Several sessions share one snapshot, so that it is held for a short time:
// until it ends, vacuum keeps what was removed meanwhile.
import type { Readable } from 'node:stream'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { readMigrationRecords } from '../migrations/migration-history.ts'
import { listPartitions, parseDay, partitionedTables } from '../partitions/daily-partitions.ts'
import { connectSession } from '../session/database-session.ts'
import {
  type BackupFile,
  type BackupManifest,
  type BackupTable,
  columnList,
  qualified,
  queueMigration,
  type StoredTable,
  storedTables,
  type TableNames,
} from './backup-tables.ts'

/** Each uses a core of the server. */
const SESSIONS = 3
/** A migration holds tables for longer. */
const LOCK_WAIT_MAX_MS = 30_000

export type DatabaseSink = {
  /** Told first: what the tables have on the disk, without indexes. The files have about as much. */
  expect(bytes: number): Promise<void>
  /** Reads all rows of a table, in the text format of COPY. Several are written at once. */
  write(table: StoredTable, rows: Readable): Promise<BackupFile>
  /** Reads the keys of all blobs that these rows name, one on each line. */
  writeBlobKeys(keys: Readable): Promise<unknown>
}

export type CopiedDatabase = Pick<BackupManifest, 'postgres' | 'migrations' | 'queue_migration' | 'tables' | 'sequences' | 'partitions'>

export type CopyOptions = {
  lockWaitMaxMs?: number
  /** Ends the copying. */
  signal?: AbortSignal | undefined
  /** The tables of the models if absent. */
  wanted?: TableNames | undefined
}

/** Everything that was committed before this was called is copied, and nothing of a transaction that was not. */
export async function copyDatabase(
  databaseUrl: string,
  sink: DatabaseSink,
  { lockWaitMaxMs = LOCK_WAIT_MAX_MS, signal, wanted }: CopyOptions = {},
): Promise<CopiedDatabase> {
  const sessions: pg.Client[] = []
  const endSessions = () => Promise.allSettled(sessions.map((session) => session.end()))
  // One that waits for a lock or for rows waits no longer.
  signal?.addEventListener('abort', () => void endSessions(), { once: true })
  let copying: Promise<void>[] = []
  try {
    const first = await openSession(databaseUrl, sessions)
    signal?.throwIfAborted()
    await first.query(`set lock_timeout = ${lockWaitMaxMs}`)
    const tables = await storedTables(first, wanted)
    await sink.expect(tables.reduce((total, { bytes }) => total + bytes, 0))
    // Locked before the snapshot is taken, so that no table changes between the two.
    await first.query('begin isolation level repeatable read, read only')
    await first.query(`lock table ${tables.map(qualified).join(', ')} in access share mode`)
    const snapshot = await exportSnapshot(first)
    while (sessions.length < SESSIONS && !signal?.aborted) await joinSnapshot(await openSession(databaseUrl, sessions), snapshot)

    const facts = await readFacts(first, tables)
    const waiting = [...tables].sort((one, other) => one.bytes - other.bytes)
    const copied: BackupTable[] = []
    await copyRows(first, blobKeyQuery(tables), (rows) => sink.writeBlobKeys(rows))
    copying = sessions.map(async (session) => {
      // The largest first, so that none of them is left for the end.
      for (let table = waiting.pop(); table; table = waiting.pop()) {
        const { of, name, columns } = table
        const { written, rows } = await copyTable(session, table, sink)
        copied.push({ of, name, columns, rows, ...written })
      }
      await session.query('commit')
    })
    await Promise.all(copying)
    // Sequences do not belong to the snapshot: read last, they are further than every row.
    return { ...facts, tables: copied.sort(byName), sequences: await readSequences(first, tables) }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error
    throw new StartupProblem(
      'Something else changes the tables of the database, such as a migration: run the backup again when it has ended.',
      {
        cause: error,
      },
    )
  } finally {
    await endSessions()
    // If one has failed, the others have ended with their sessions: nothing is written after this.
    await Promise.allSettled(copying)
  }
}

async function openSession(databaseUrl: string, sessions: pg.Client[]): Promise<pg.Client> {
  const session = await connectSession(databaseUrl)
  sessions.push(session)
  return session
}

const LOCK_NOT_AVAILABLE = '55P03'

async function exportSnapshot(session: pg.Client): Promise<string> {
  const { rows } = await session.query<{ id: string }>('select pg_export_snapshot() as id')
  return rows[0]?.id ?? ''
}

async function joinSnapshot(session: pg.Client, snapshot: string): Promise<void> {
  await session.query('begin isolation level repeatable read, read only')
  await session.query(`set transaction snapshot '${snapshot}'`)
}

async function copyTable(session: pg.Client, table: StoredTable, sink: DatabaseSink): Promise<{ written: BackupFile; rows: number }> {
  // A query, because COPY itself reads no partitions.
  const [written, rows] = await copyRows(session, `select ${columnList(table)} from ${qualified(table)}`, (stream) =>
    sink.write(table, stream),
  )
  return { written, rows }
}

async function copyRows<T>(session: pg.Client, select: string, read: (rows: Readable) => Promise<T>): Promise<[T, number]> {
  const stream = session.query(copyTo(`copy (${select}) to stdout`))
  // A session that has ended says so before anything reads from the stream, and whatever reads from it later must be told.
  stream.on('error', (error) => stream.destroy(error))
  const result = await read(stream)
  return [result, stream.rowCount]
}

/** Every column that names a blob is called so. */
const BLOB_COLUMN = 'blob_key'

function blobKeyQuery(tables: StoredTable[]): string {
  const selects = tables
    .filter(({ columns }) => columns.includes(BLOB_COLUMN))
    .map((table) => `select ${BLOB_COLUMN} from ${qualified(table)} where ${BLOB_COLUMN} is not null`)
  return selects.join(' union ')
}

const byName = (one: BackupTable, other: BackupTable): number => (one.name < other.name ? -1 : 1)

async function readFacts(session: pg.Client, tables: StoredTable[]): Promise<Omit<CopiedDatabase, 'tables' | 'sequences'>> {
  const { rows } = await session.query<{ version: string }>(`select current_setting('server_version') as version`)
  const records = await readMigrationRecords(session)
  const partitions: BackupManifest['partitions'] = []
  for (const table of partitionedTables.filter((name) => tables.some((each) => each.name === name))) {
    const attached = (await listPartitions(session, table)).filter(({ state }) => state === 'attached')
    partitions.push({ table, days: attached.flatMap(({ name }) => parseDay(table, name)?.toISOString().slice(0, 10) ?? []) })
  }
  return {
    postgres: rows[0]?.version ?? '',
    migrations: records.filter(({ isFinished }) => isFinished).map(({ name, checksum: sha256 }) => ({ name, sha256 })),
    queue_migration: await queueMigration(session),
    partitions,
  }
}

async function readSequences(session: pg.Client, tables: StoredTable[]): Promise<BackupManifest['sequences']> {
  const columns = tables.flatMap((table) =>
    table.columns.map((column) => ({ of: table.of, name: table.name, table: qualified(table), column })),
  )
  const { rows } = await session.query<BackupManifest['sequences'][number]>(
    `select g.of, g.name as table, g.column, s.last_value::text as value
     from jsonb_to_recordset($1::jsonb) as g(of text, name text, "table" text, "column" text)
     join pg_sequences s on format('%I.%I', s.schemaname, s.sequencename) = pg_get_serial_sequence(g.table, g.column)
     where s.last_value is not null order by 1, 2, 3`,
    [JSON.stringify(columns)],
  )
  return rows
}
