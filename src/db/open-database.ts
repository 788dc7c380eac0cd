// Finds the database of the configuration: that of DATABASE_URL, or the embedded one, which a service creates and a command never does.
import type pg from 'pg'
import type { Config } from '../config/config.ts'
import { systemClock } from '../lib/clock.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { type Database, openDatabase } from './database.ts'
import { isOutOfConnections } from './database-errors.ts'
import type { EmbeddedPostgres } from './embedded/embedded-postgres.ts'
import { socketStream } from './embedded/embedded-role.ts'
import { openEmbeddedPostgres } from './embedded/running-postgres.ts'
import { healthRepository } from './health.repository.ts'
import { expectMigrated, migrate } from './migrations/migrate.ts'
import { partitionedTables } from './partitions/daily-partitions.ts'
import { createMissingDays, maintainPartitions } from './partitions/partitions.ts'
import { type Log, newClient, withoutSecrets } from './session/database-session.ts'

/** A database that answers and has current tables, and how to close it. */
export type OpenedDatabase = { database: Database; databaseUrl: string; close(): Promise<void> }

/** For a service: brings the tables up to date. */
export async function openMigratedDatabase(config: Config, log: Log, { force = false } = {}): Promise<OpenedDatabase> {
  const embedded = config.databaseUrl === null ? await openEmbeddedPostgres({ dataDir: config.dataDir, log, purpose: 'service' }) : null
  return openWith({ config, log, embedded, mustWrite: true }, async (opened) => {
    await upgradeSchema(opened, log, force)
    await expectConnections(opened, config.databaseConnectionsMin)
    embedded?.share()
  })
}

export type OpenForCommand = {
  /** What the command does about the tables: brings them up to date, expects those of this version, or takes them as they are. */
  tables: 'migrated' | 'expected' | 'as they are'
  /** Whether migrations that need other processes stopped are applied beside them. */
  force?: boolean
  /** Receives the address of the database, for people, before the first query. */
  onFound: (where: string) => void
}

/** Opens the database for a command: creates none, and uses that of a running service. */
export async function openExistingDatabase(
  config: Config,
  log: Log,
  { tables, force = false, onFound }: OpenForCommand,
): Promise<OpenedDatabase> {
  const embedded = config.databaseUrl === null ? await openEmbeddedPostgres({ dataDir: config.dataDir, log, purpose: 'command' }) : null
  onFound(config.databaseUrl === null ? `embedded, in ${config.dataDir}` : withoutSecrets(config.databaseUrl))
  return openWith({ config, log, embedded, mustWrite: false }, async (opened) => {
    if (tables === 'migrated') await upgradeSchema(opened, log, force)
    if (tables === 'expected') await expectMigrated(opened)
  })
}

async function openWith(
  { config, log, embedded, mustWrite }: { config: Config; log: Log; embedded: EmbeddedPostgres | null; mustWrite: boolean },
  prepare: (opened: OpenedDatabase) => Promise<void>,
): Promise<OpenedDatabase> {
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? ''
  // What is wrong with the address is said in a sentence, before a pool has it.
  newClient(databaseUrl)
  const database = openDatabase({
    databaseUrl,
    stream: socketStream(databaseUrl),
    mustWrite,
    connectionsMax: config.databaseConnections,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
    makeMissingDay: createMissingDays(partitionedTables),
  })
  const opened = {
    database,
    databaseUrl,
    async close() {
      await database.close()
      await embedded?.stop()
    },
  }
  try {
    await prepare(opened)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** A machine that is busy takes longer than usual to make some of those that are asked for together. */
const CONNECTION_TRIES = 3

/** With fewer, requests or workers would wait for each other. @throws StartupProblem */
async function expectConnections({ database, databaseUrl }: OpenedDatabase, connectionsMin: number): Promise<void> {
  const given: pg.PoolClient[] = []
  try {
    for (let triesLeft = CONNECTION_TRIES; given.length < connectionsMin; triesLeft -= 1) {
      const asked = await Promise.allSettled(Array.from({ length: connectionsMin - given.length }, () => database.connect()))
      given.push(...asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])))
      const reasons = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      const shortage = reasons.find(isShortage)
      if (shortage !== undefined)
        throw new StartupProblem(
          `The database ${withoutSecrets(databaseUrl)} gives this process ${given.length} connections, and it needs at least ${connectionsMin}: raise max_connections of the server or the limit of the role or the database, lower DATABASE_CONNECTIONS of other processes, or end other programs.`,
          { cause: shortage },
        )
      if (reasons.length > 0 && triesLeft <= 1) throw reasons[0]
    }
  } finally {
    for (const client of given) client.release()
  }
}

/** A pooler without room takes a connection, and then does not answer it. */
const isShortage = (reason: unknown): boolean =>
  isOutOfConnections(reason) || (reason instanceof Error && reason.message === 'Query read timeout')

async function upgradeSchema({ database, databaseUrl }: OpenedDatabase, log: Log, force: boolean): Promise<void> {
  await migrate({ databaseUrl, log, force })
  log.info({ schema: await healthRepository(database).schema() }, 'tables are ready')
  // Old partitions are dropped by a worker, which knows whether the clock can be trusted.
  await maintainPartitions(database.pool, { tables: partitionedTables, now: systemClock.now(), retentionDays: null })
}
