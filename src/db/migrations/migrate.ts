import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LogLevel } from 'graphile-worker'
import pg from 'pg'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { checkSession, connectSession, type Log, withAdvisoryLock, withoutSecrets } from '../session/database-session.ts'
import { sessionSettings } from '../session/session-settings.ts'
import { isWithoutLock, LOCK_WAITS, type LockWaits, livingProcesses, refuseUnfinishedRestore, withLockRetries } from './lock-waits.ts'
import { compareHistory, type Migration, readMigrationRecords, readMigrations, servedBy, servesProgram } from './migration-history.ts'

// Applies migrations by plain SQL, and keeps the table in which Prisma's own commands look for them.

/** The form of Prisma's command `migrate deploy`. */
const HISTORY = `create table if not exists _prisma_migrations (
  id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null, logs text,
  rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0
)`

/** Prisma leaves it alone. Which earlier programs can work with what a migration left: they lack its file. */
const SERVES = 'alter table _prisma_migrations add column serves text'

/**
 * A migration and its row are one transaction: of one that fails, waits longer for a lock, or whose process is killed, nothing stays.
 * @throws what PostgreSQL says.
 */
export async function applyMigration(session: pg.Client, { name, sql, checksum }: Migration, lockWaitMaxMs: number): Promise<void> {
  await prepareHistory(session, lockWaitMaxMs)
  await session.query(`begin; set local lock_timeout = ${lockWaitMaxMs}`)
  try {
    // Without values it is sent whole, with as many statements as there are (PostgreSQL, "Multiple Statements in a Simple Query").
    await session.query(sql)
    await session.query(
      `insert into _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count, serves)
       values (gen_random_uuid()::text, $1, clock_timestamp(), $2, 1, $3)`,
      [checksum, name, servedBy(sql)],
    )
    await session.query('commit')
  } catch (error) {
    // If the connection is gone, the transaction is too, and the first error says why.
    await session.query('rollback').catch(() => {})
    throw error
  }
}

async function prepareHistory(session: pg.Client, lockWaitMaxMs: number): Promise<void> {
  await session.query(HISTORY)
  const { rowCount } = await session.query(
    `select from pg_attribute where attrelid = '_prisma_migrations'::regclass and attname = 'serves' and not attisdropped`,
  )
  // Several statements in one message are one transaction.
  if (rowCount === 0) await session.query(`set local lock_timeout = ${lockWaitMaxMs}; ${SERVES}`)
}

/** An earlier version wrote the row first. If its process was killed, the row is there, but the migration is not. */
export async function forgetInterrupted(session: pg.Client, name: string): Promise<void> {
  await session.query('update _prisma_migrations set rolled_back_at = now() where migration_name = $1 and finished_at is null', [name])
}

/** The models and migrations that the service was shipped with. */
export const schemaFolder = fileURLToPath(new URL('../../../prisma', import.meta.url))

export type MigrateOptions = {
  databaseUrl: string
  log: Log
  /** Prisma's folder: models and `migrations/`. */
  folder?: string
  /** For a restore, which may have been cut short before. `only`: these migrations, so that the tables are those of a backup; null for all. */
  restore?: { only: ReadonlySet<string> | null }
  lockWaits?: LockWaits
  /** Applies migrations that need processes of the version before stopped although some are alive. */
  force?: boolean
}

/**
 * Migrates the tables of the service and of its job queue to the version of this code; one process at a time, the others wait. Returns the names of
 * the migrations that it applied, in order. Throws a StartupProblem (one line: what is wrong, and what to do) for a database that cannot be used,
 * and for a migration that failed, was edited or is unknown.
 */
export async function migrate({
  databaseUrl,
  log,
  folder = schemaFolder,
  restore,
  lockWaits = LOCK_WAITS,
  force = false,
}: MigrateOptions): Promise<{ applied: string[] }> {
  const session = await connectSession(databaseUrl)
  try {
    await checkSession(session, databaseUrl)
    return await withAdvisoryLock(session, { purpose: 'migrations', waitMaxMs: LOCK_WAIT_MAX_MS }, async () => {
      if (restore === undefined) await refuseUnfinishedRestore(session)
      const applied = await migrateTables(session, {
        log,
        folder,
        only: restore?.only ?? null,
        lockWaits,
        force: force || restore !== undefined,
      })
      // The job queue of a newer version may be newer too, which the library accepts or refuses itself.
      await withLockRetries({ what: 'The migration of the job queue', session, log, waits: lockWaits }, () =>
        migrateJobQueue(databaseUrl, log, lockWaits.waitMaxMs),
      )
      if (applied.length > 0) log.info({ applied }, 'database migrated')
      return { applied }
    })
  } finally {
    await session.end().catch(() => {})
  }
}

/** Throws a StartupProblem if the tables are not those of this code, for commands that must not change them. */
export async function expectMigrated({
  databaseUrl,
  folder = schemaFolder,
}: Pick<MigrateOptions, 'databaseUrl' | 'folder'>): Promise<void> {
  const session = await connectSession(databaseUrl)
  try {
    await refuseUnfinishedRestore(session)
    const { pending } = compareHistory(readMigrations(join(folder, 'migrations')), await readMigrationRecords(session))
    if (pending.length === 0) return
    throw new StartupProblem(
      `The database ${withoutSecrets(databaseUrl)} lacks the tables of this version (${pending.join(', ')}): run \`migrate\`, or start the service, which does the same.`,
    )
  } finally {
    await session.end().catch(() => {})
  }
}

// Longer than any migration should take. A process that hangs in one must not block the others forever.
const LOCK_WAIT_MAX_MS = 600_000

type Wanted = Pick<Required<MigrateOptions>, 'log' | 'folder' | 'lockWaits' | 'force'> & { only: ReadonlySet<string> | null }

async function migrateTables(session: pg.Client, { log, folder, only, lockWaits: waits, force }: Wanted): Promise<string[]> {
  const migrations = readMigrations(join(folder, 'migrations'))
  const records = await readMigrationRecords(session)
  const { pending: missing, interrupted, newer } = compareHistory(migrations, records)
  if (newer.length > 0) log.info({ newer }, 'the tables are of a newer version, which works with this one')
  const pending = missing.filter((name) => only === null || only.has(name))
  const wanted = migrations.filter(({ name }) => pending.includes(name))
  if (!force && records.length > 0) await refuseBesideLiving(session, wanted)
  for (const name of interrupted) {
    log.warn({ migration: name }, 'interrupted migration begun again')
    await forgetInterrupted(session, name)
  }
  for (const migration of wanted) {
    // A large database may take a while.
    if (records.length > 0) log.info({ migration: migration.name }, 'migrating the database')
    await withLockRetries({ what: `The migration ${migration.name}`, session, log, waits }, () =>
      applyOrExplain(session, migration, waits.waitMaxMs),
    )
  }
  return pending
}

/** @throws StartupProblem with the names of living processes that one of these migrations does not serve */
async function refuseBesideLiving(session: pg.Client, pending: Migration[]): Promise<void> {
  const unfit = (knows: string | null) => pending.find(({ sql }) => !servesProgram(servedBy(sql), knows))
  if (unfit(null) === undefined) return
  const living = (await livingProcesses(session)).filter(({ knows }) => unfit(knows) !== undefined)
  const [first] = living
  if (first === undefined) return
  const names = living.map(({ name }) => name).join('; ')
  throw new StartupProblem(
    `The migration ${unfit(first.knows)?.name} does not work with the version before, and processes of it are running: ${names}. Stop them first, or give --force: they then answer 503, finish what they have begun, and end.`,
  )
}

async function applyOrExplain(session: pg.Client, migration: Migration, lockWaitMaxMs: number): Promise<void> {
  try {
    await applyMigration(session, migration, lockWaitMaxMs)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isWithoutLock(error)) throw error
    throw new StartupProblem(`The migration ${migration.name} failed and was rolled back: ${error.message}`, { cause: error })
  }
}

async function migrateJobQueue(databaseUrl: string, log: Log, lockWaitMaxMs: number): Promise<void> {
  // Loaded here: most commands only compare the tables.
  const { Logger, runMigrations } = await import('graphile-worker')
  const pgPool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    onConnect: async (client) =>
      void (await client.query(sessionSettings({ statementMs: 0, idleInTransactionMs: 0, lockMs: lockWaitMaxMs }))),
  })
  // The library requires a handler. A connection that breaks fails its query, which is enough.
  pgPool.on('error', () => {})
  pgPool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool, logger: new Logger(() => (level, message) => log[levels[level]]({}, `job queue: ${message}`)) })
  } finally {
    await pgPool.end()
  }
}

const levels: Record<LogLevel, keyof Log> = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' }
