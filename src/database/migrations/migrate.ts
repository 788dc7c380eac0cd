import { join } from 'node:path'
import { Logger, type LogLevel, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { checkSession, connectSession, withAdvisoryLock, withoutSecrets } from '../database-session.ts'
import type { Log } from '../log.ts'
import { compareHistory, readMigrationRecords, readMigrations } from './migration-history.ts'
import { applyMigrations, markRolledBack, schemaFolder } from './schema-engine.ts'

export type MigrateOptions = {
  databaseUrl: string
  log: Log
  /** Prisma's folder: models and `migrations/`. */
  folder?: string
}

/**
 * Migrates the tables of the service and of its job queue to the version of this code; one process at a time, the others wait. Returns the names of
 * the migrations that it applied, in order. Throws a StartupProblem (one line: what is wrong, and what to do) for a database that cannot be used,
 * and for a migration that failed, was edited or is unknown.
 */
export async function migrate({ databaseUrl, log, folder = schemaFolder }: MigrateOptions): Promise<{ applied: string[] }> {
  const session = await connectSession(databaseUrl)
  try {
    await checkSession(session, databaseUrl)
    return await withAdvisoryLock(session, { purpose: 'migrations', waitMaxMs: LOCK_WAIT_MAX_MS }, async () => {
      const applied = await migrateTables(session, { databaseUrl, log, folder })
      await migrateJobQueue(databaseUrl, log)
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

async function migrateTables(session: pg.Client, { databaseUrl, log, folder }: Required<MigrateOptions>): Promise<string[]> {
  const migrations = readMigrations(join(folder, 'migrations'))
  const { pending, interrupted } = compareHistory(migrations, await readMigrationRecords(session))
  // The engine takes 50 ms and 30 MB, which most starts do not need.
  if (pending.length === 0) return []
  try {
    for (const name of interrupted) {
      log.warn({ migration: name }, 'interrupted migration begun again')
      await markRolledBack(databaseUrl, folder, name)
    }
    return await applyMigrations(databaseUrl, folder, migrations)
  } catch (error) {
    throw migrationFailure(error) ?? error
  }
}

async function migrateJobQueue(databaseUrl: string, log: Log): Promise<void> {
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
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

// The engine's report has many lines; these two say what and why. Any other error is not a failed migration.
function migrationFailure(error: unknown): StartupProblem | undefined {
  const report = error instanceof Error ? error.message : ''
  const name = /migration_name="([^"]+)"/.exec(report)?.[1]
  if (name === undefined) return undefined
  const reason = /ERROR: +(\S.*)$/m.exec(report)?.[1] ?? report
  return new StartupProblem(`The migration ${name} failed, and nothing of it stayed: ${reason}`, { cause: error })
}
