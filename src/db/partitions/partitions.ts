// Maintains the daily partitions of the tables that grow without end: creates those of the coming days and drops expired ones.
import pg from 'pg'
import { DAY_MS } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { idTime } from '../../lib/ids.ts'
import { idWithoutPartition } from '../database-errors.ts'
import { withAdvisoryLock } from '../session/database-session.ts'
import { sessionSettings } from '../session/session-settings.ts'
import {
  attachPartition,
  createPartition,
  detachPartition,
  dropPartition,
  finishDetaching,
  listPartitions,
  parseDay,
  partitionName,
} from './daily-partitions.ts'

// Creates the partition of a day when a row of that day finds none: after a clock was corrected, or the service was off for weeks.

/** Whether the day that an error reports as missing exists now, so that the failed statement can be retried. */
export type MakeMissingDay = (pool: pg.Pool, error: unknown) => Promise<boolean>

/**
 * All tables get the day at once, because code that writes to one of them soon writes to the others. Throws a Failure `unavailable` if the database
 * cannot create it now.
 */
export function createMissingDays(tables: readonly string[]): MakeMissingDay {
  // Statements that fail together wait for the same partition.
  const making = new Map<number, Promise<void>>()
  return async (pool, error) => {
    const id = idWithoutPartition(error)
    if (id === null) return false
    const dayMs = Math.floor(idTime(id).getTime() / DAY_MS) * DAY_MS
    if (dayMs > LAST_DAY_MS) return false
    const made = making.get(dayMs) ?? makeDay(pool, tables, new Date(dayMs)).finally(() => making.delete(dayMs))
    making.set(dayMs, made)
    try {
      await made
    } catch (cause) {
      throw new Failure('unavailable', 'The database has no room for records of this day yet. Please try again in a second.', {
        retryAfterSeconds: 1,
        cause,
      })
    }
    return true
  }
}

/** The names of partitions have four digits for the year. */
const LAST_DAY_MS = Date.UTC(9999, 11, 31)
/** A detach that waits for long readers must not block requests. */
const DAY_LOCK_WAIT_MAX_MS = 5_000

async function makeDay(pool: pg.Pool, tables: readonly string[], day: Date): Promise<void> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(`set lock_timeout = ${DAY_LOCK_WAIT_MAX_MS}`)
    for (const table of tables) await makePartition(client, table, day)
  } finally {
    await client.query('set lock_timeout = 0').catch((error: Error) => {
      broken = error
    })
    client.release(broken)
  }
}

async function makePartition(client: pg.PoolClient, table: string, day: Date): Promise<void> {
  const name = partitionName(table, day)
  const existing = (await listPartitions(client, table)).find((partition) => partition.name === name)
  try {
    switch (existing?.state) {
      case 'attached':
        return
      case 'detaching':
        await finishDetaching(client, table, name)
        return await attachPartition(client, table, day)
      case 'detached':
        return await attachPartition(client, table, day)
      default:
        return await createPartition(client, table, day)
    }
  } catch (error) {
    // Another process created it after the check.
    const isThere = (await listPartitions(client, table)).some((partition) => partition.name === name && partition.state === 'attached')
    if (!isThere) throw error
  }
}

export type PartitionPlan = {
  tables: readonly string[]
  now: Date
  /** How many whole days are kept besides today; null if nothing is dropped. */
  retentionDays: number | null
}

/**
 * Creates the partitions from yesterday to a week ahead, and drops those whose last moment is more than `retentionDays` ago; one process at a time.
 * Returns the names. Throws the database's error. What was done until then stays, and the next call continues from there, also after a crash.
 */
export async function maintainPartitions(
  pool: pg.Pool,
  { tables, now, retentionDays }: PartitionPlan,
): Promise<{ created: string[]; dropped: string[] }> {
  const client = await connectPatiently(pool)
  try {
    return await withAdvisoryLock(client, { purpose: 'partitions', waitMaxMs: LOCK_WAIT_MAX_MS }, () =>
      maintainAll(client, { tables, now, retentionDays }),
    )
  } finally {
    // Nothing is lost if a connection fails to close.
    await client.end().catch(() => {})
  }
}

/** A connection outside the pool. Those of the pool give up long before a detach has waited for the transactions that read the table. */
async function connectPatiently({ options }: pg.Pool): Promise<pg.Client> {
  const client = new pg.Client({
    ...options,
    // The pool hides the password from code that copies its options.
    ...(options.password !== undefined && { password: options.password }),
    // A pooler refuses a connection that is made with it.
    statement_timeout: false,
    query_timeout: DETACH_TIMEOUT_MS + ANSWER_MS,
  })
  // A connection that breaks while it is idle must not end the process. The next statement fails.
  client.on('error', () => {})
  await client.connect()
  await client.query(sessionSettings({ statementMs: DETACH_TIMEOUT_MS, idleInTransactionMs: DETACH_TIMEOUT_MS }))
  return client
}

/** The missing partitions of today and tomorrow. The first row of such a day has to wait until its partition exists. */
export async function missingPartitions(pool: pg.Pool, tables: readonly string[], now: Date): Promise<string[]> {
  const wanted = tables.flatMap((table) => days(now, { from: 0, to: 1 }).map((day) => ({ table, name: partitionName(table, day) })))
  const { rows } = await pool.query<{ name: string; table: string }>(
    `select child.relname as name, parent.relname as table
     from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
     where parent.oid = any(select to_regclass(quote_ident(name)) from unnest($1::text[]) as name) and not inhdetachpending`,
    [tables],
  )
  return wanted.filter(({ table, name }) => !rows.some((row) => row.name === name && row.table === table)).map(({ name }) => name)
}

// Yesterday, for work that began before midnight or by a clock that is slow; a week, so that operators have days to notice a failure here.
const DAYS_BACK = 1
const DAYS_AHEAD = 7
const DETACH_TIMEOUT_MS = 300_000
/** The time in which the server reports that a statement has exceeded its time. */
const ANSWER_MS = 5_000
const LOCK_WAIT_MAX_MS = 600_000

async function maintainAll(
  client: pg.ClientBase,
  { tables, now, retentionDays }: PartitionPlan,
): Promise<{ created: string[]; dropped: string[] }> {
  const created: string[] = []
  const dropped: string[] = []
  for (const table of tables) {
    created.push(...(await createAhead(client, table, now)))
    if (retentionDays !== null) dropped.push(...(await dropExpired(client, table, new Date(now.getTime() - retentionDays * DAY_MS))))
  }
  return { created, dropped }
}

async function createAhead(client: pg.ClientBase, table: string, now: Date): Promise<string[]> {
  const existing = await listPartitions(client, table)
  const missing = days(now, { from: -DAYS_BACK, to: DAYS_AHEAD }).filter(
    (day) => !existing.some(({ name }) => name === partitionName(table, day)),
  )
  for (const day of missing) await createPartition(client, table, day)
  return missing.map((day) => partitionName(table, day))
}

async function dropExpired(client: pg.ClientBase, table: string, expiredUntil: Date): Promise<string[]> {
  const dropped: string[] = []
  for (const { name, state } of await listPartitions(client, table)) {
    if (state === 'detaching') await finishDetaching(client, table, name)
    const day = parseDay(table, name)
    if (!day || day.getTime() + DAY_MS > expiredUntil.getTime()) continue
    if (state === 'attached') await detachPartition(client, table, name)
    await dropPartition(client, name)
    dropped.push(name)
  }
  return dropped
}

function days(now: Date, { from, to }: { from: number; to: number }): Date[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return Array.from({ length: to - from + 1 }, (_, index) => new Date(today + (from + index) * DAY_MS))
}
