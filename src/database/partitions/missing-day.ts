// Creates the partition of a day when a row of that day finds none: after a clock was corrected, or the service was off for weeks.
import type pg from 'pg'
import { idWithoutPartition } from '../../lib/database-errors.ts'
import { Failure } from '../../lib/failure.ts'
import { idTime } from '../../lib/ids.ts'
import { attachPartition, createPartition, DAY_MS, finishDetaching, partitionName, partitionsOf } from './daily-partitions.ts'

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
const LOCK_WAIT_MAX_MS = 5_000

async function makeDay(pool: pg.Pool, tables: readonly string[], day: Date): Promise<void> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(`set lock_timeout = ${LOCK_WAIT_MAX_MS}`)
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
  const existing = (await partitionsOf(client, table)).find((partition) => partition.name === name)
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
    const isThere = (await partitionsOf(client, table)).some((partition) => partition.name === name && partition.state === 'attached')
    if (!isThere) throw error
  }
}
