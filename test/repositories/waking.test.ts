import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Database, openDatabase } from '../../src/repositories/database.ts'
import { createWaking } from '../../src/repositories/waking.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'

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

const open = () => openDatabase({ databaseUrl: testDatabase.url, onError: () => {} })

const LISTENING = `from pg_stat_activity where datname = current_database() and query = 'listen posthaste_work'`

async function listenerCount(): Promise<number> {
  const [row] = await database.execute<{ count: number }>(`select count(*)::int as count ${LISTENING}`)
  return row?.count ?? 0
}
const untilListening = () => vi.waitFor(async () => expect(await listenerCount()).toBe(1), { timeout: 10_000 })

describe('waking others', () => {
  it('reaches other processes, and not the one that calls', async () => {
    const other = open()
    const [mine, theirs] = [createWaking(database), createWaking(other)]
    const [onMine, onTheirs] = [vi.fn(), vi.fn()]
    mine.listen(onMine)
    theirs.listen(onTheirs)
    await vi.waitFor(async () => expect(await listenerCount()).toBe(2), { timeout: 10_000 })

    mine.notifyOthers()

    await vi.waitFor(() => expect(onTheirs).toHaveBeenCalledOnce())
    expect(onMine).not.toHaveBeenCalled()
    await Promise.all([mine.close(), theirs.close()])
    await other.close()
  })

  it('listens again, on one connection, however often its connection is ended', async () => {
    const other = open()
    const [mine, theirs] = [createWaking(database), createWaking(other)]
    const onWork = vi.fn()
    theirs.listen(onWork)
    for (let time = 0; time < 3; time++) {
      await untilListening()
      await database.execute(`select pg_terminate_backend(pid) ${LISTENING}`)
    }
    await untilListening()

    mine.notifyOthers()

    await vi.waitFor(() => expect(onWork).toHaveBeenCalledOnce())
    await Promise.all([mine.close(), theirs.close()])
    // Ends only when every connection was given back.
    await other.close()
  })
})
