import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createWaking } from '../../../src/db/leases/waking.ts'
import { until } from '../../support/clocks/until.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = open()
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const open = () => openTestDatabase(testDatabase.url)

/** Connections that already listen. */
async function listeners(): Promise<number[]> {
  const rows = await database.execute<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and query = 'listen posthaste_work' and state = 'idle'`,
  )
  return rows.map(({ pid }) => pid)
}

describe('waking others', () => {
  it('reaches other processes, and not the one that calls', async () => {
    const other = open()
    const [mine, theirs] = [createWaking(database), createWaking(other)]
    const [onMine, onTheirs] = [vi.fn(), vi.fn()]
    mine.listen(onMine)
    theirs.listen(onTheirs)
    await until(async () => expect(await listeners()).toHaveLength(2))

    mine.notifyOthers()

    await until(() => expect(onTheirs).toHaveBeenCalledOnce())
    expect(onMine).not.toHaveBeenCalled()
    await Promise.all([mine.close(), theirs.close()])
    await other.close()
  })

  it('sends the first notice at once, and those that follow it within moments as one', async () => {
    const sent: number[] = []
    const waking = createWaking({
      ...database,
      async execute() {
        sent.push(sent.length + 1)
        return []
      },
    })
    vi.useFakeTimers()
    try {
      for (let times = 0; times < 10; times += 1) waking.notifyOthers()
      const atOnce = [...sent]
      vi.advanceTimersByTime(49)
      const before = [...sent]
      vi.advanceTimersByTime(1)
      const after = [...sent]
      vi.advanceTimersByTime(1_000)
      expect({ atOnce, before, after, late: sent }).toEqual({ atOnce: [1], before: [1], after: [1, 2], late: [1, 2] })
    } finally {
      vi.useRealTimers()
      await waking.close()
    }
  })

  it('listens again, on one connection, however often its connection is ended', async () => {
    const other = open()
    const [mine, theirs] = [createWaking(database), createWaking(other)]
    const onWork = vi.fn()
    theirs.listen(onWork)
    let pid = await untilListening(0)
    for (let time = 0; time < 3; time++) {
      await database.execute('select pg_terminate_backend($1)', [pid])
      pid = await untilListening(pid)
    }

    mine.notifyOthers()

    await until(() => expect(onWork).toHaveBeenCalledOnce())
    await Promise.all([mine.close(), theirs.close()])
    // Ends only when every connection was released.
    await other.close()
  })

  it('listens on one connection also when the first ones die before they can', async () => {
    const other = open()
    let toKill = 2
    const theirs = createWaking({
      execute: other.execute,
      async connect() {
        const client = await other.connect()
        if (toKill-- > 0) {
          const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
          await database.execute('select pg_terminate_backend($1)', [rows[0]?.pid])
        }
        return client
      },
    })
    const onWork = vi.fn()
    theirs.listen(onWork)
    // A connection that is about to die may still listen for a moment.
    await until(() => expect(toKill).toBeLessThan(0))
    await untilListening(0)
    expect(other.pool.totalCount - other.pool.idleCount).toBe(1)

    const mine = createWaking(database)
    mine.notifyOthers()

    await until(() => expect(onWork).toHaveBeenCalledOnce())
    await Promise.all([mine.close(), theirs.close()])
    await other.close()
  })
})

/** Resolves when exactly one connection listens, and it is another than before. */
async function untilListening(before: number): Promise<number> {
  let pid = before
  await until(async () => {
    const found = await listeners()
    expect(found).toHaveLength(1)
    expect(found).not.toEqual([before])
    pid = found[0] ?? before
  })
  return pid
}
