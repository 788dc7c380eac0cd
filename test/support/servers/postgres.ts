// The superuser of an embedded PostgreSQL, which the service itself never uses.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { lockDataFolder } from '../../../src/db/embedded/data-folder-lock.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { CALM_DATABASE, SUPERUSER } from '../../../src/db/embedded/embedded-role.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { partitionedTables } from '../../../src/db/partitions/daily-partitions.ts'
import { maintainPartitions } from '../../../src/db/partitions/partitions.ts'
import { silentLog } from '../processes/processes.ts'

/** The server of `url`, as its superuser. */
export function superuserUrl(url: string, dataDir: string, database = CALM_DATABASE): string {
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim()
  return Object.assign(new URL(url), { username: SUPERUSER, password, pathname: database }).href
}

/**
 * Lets the service's role create databases, because a run needs many and a service one. It also gives a test that makes a deadlock time to complete
 * it: PostgreSQL checks once, this long after a wait began, and ends the transaction that checks in time.
 */
export async function prepareRoleOfRun(url: string, dataDir: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl(url, dataDir) })
  await client.connect()
  try {
    const role = new URL(url).username
    await client.query(`alter role ${role} createdb; alter role ${role} set deadlock_timeout = '4s'`)
  } finally {
    await client.end()
  }
}

// One PostgreSQL per test run, migrated once into a template; each test file copies the template.

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server's own database; use createTestDatabase. */
    databaseUrl: string
    /** The URL of the server's superuser. */
    superuserUrl: string
    /** Where the run keeps an embedded database to copy; missing until it is needed. */
    preparedFolder: string
  }
}

export type TestDatabase = {
  url: string
  /** For inspecting the server, which the service may not do. */
  superuserUrl: string
  /** Removes it, and ends the remaining connections. */
  drop(): Promise<void>
}

/** A separate database with every migration applied and the partitions of these days, made in about 25 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return copyTemplate(TEMPLATE)
}

/** A separate database with all that another one has, which no one may have open meanwhile. It takes a fraction of what filling one takes. */
export const copyTestDatabase = ({ url }: Pick<TestDatabase, 'url'>): Promise<TestDatabase> => copyTemplate(new URL(url).pathname.slice(1))

/** A separate, empty database. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return copyTemplate('template0')
}

/** Vitest's global setup: starts the server, and returns a function that stops it. */
export default async function startServerOfRun(project: TestProject): Promise<() => Promise<void>> {
  removeOrphans()
  const dataDir = mkdtempSync(join(tmpdir(), `${FOLDER_PREFIX}run-`))
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true })
  // Removes the folder of a run that is interrupted. The server ends with this process.
  process.once('exit', removeFolder)
  let server: EmbeddedPostgres | undefined
  const tearDown = async () => {
    await server?.stop()
    removeFolder()
    process.removeListener('exit', removeFolder)
  }
  try {
    server = await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false })
    await prepareRoleOfRun(server.url, dataDir)
    await createTemplate(server.url)
    project.provide('databaseUrl', server.url)
    project.provide('superuserUrl', superuserUrl(server.url, dataDir))
    project.provide('preparedFolder', join(dataDir, 'prepared'))
    return tearDown
  } catch (error) {
    await tearDown()
    throw error
  }
}

const TEMPLATE = 'posthaste_template'
// All temporary folders of the tests begin like this.
const FOLDER_PREFIX = 'posthaste-test-'

async function createTemplate(serverUrl: string): Promise<void> {
  await query(serverUrl, `create database ${TEMPLATE} template template0`)
  await createTables(databaseUrlOf(serverUrl, TEMPLATE))
  // A database cannot be copied while anyone is connected to it.
  await query(serverUrl, `alter database ${TEMPLATE} allow_connections false`)
}

/** All of this version, with the partitions of these days. */
export async function createTables(databaseUrl: string): Promise<void> {
  await migrate({ databaseUrl, log: silentLog })
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  await maintainPartitions(pool, { tables: partitionedTables, now: new Date(), retentionDays: 30 })
  await pool.end()
}

async function copyTemplate(template: string): Promise<TestDatabase> {
  // Not at the top, because the global setup runs where Vitest's test functions do not exist.
  const { inject } = await import('vitest')
  const serverUrl = inject('databaseUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await whileInUse(() => query(serverUrl, `create database ${name} template ${template} strategy file_copy`))
  return {
    url: databaseUrlOf(serverUrl, name),
    superuserUrl: databaseUrlOf(inject('superuserUrl'), name),
    drop: () => drop(serverUrl, name),
  }
}

// A pool reports its end before its connections are closed. PostgreSQL waits 5 s for them. Only then are forgotten ones ended by force, because a
// connection that is ended while it closes throws an error that no code catches.
async function drop(serverUrl: string, name: string): Promise<void> {
  try {
    await query(serverUrl, `drop database if exists ${name}`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== OBJECT_IN_USE) throw error
    await query(serverUrl, `drop database if exists ${name} with (force)`)
  }
}

const OBJECT_IN_USE = '55006'
const COPIES_TRIED_MAX = 10

/** PostgreSQL waits 5 s for connections to a database that is copied: those that close, and autovacuum's. */
async function whileInUse(copy: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await copy()
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== OBJECT_IN_USE || tries === COPIES_TRIED_MAX) throw error
    }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function databaseUrlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = name
  return url.href
}

/** Removes the folders of runs that were killed: those that are old and whose lock is free. */
function removeOrphans(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name)
    try {
      if (Date.now() - statSync(folder).mtimeMs < LEFTOVER_AGE_MS) continue
      lockDataFolder(folder).release()
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // In use by another run, or owned by another user.
    }
  }
}

// Longer than any run, because the folders of a service that another run has started are not locked.
const LEFTOVER_AGE_MS = 6 * 60 * 60 * 1_000
