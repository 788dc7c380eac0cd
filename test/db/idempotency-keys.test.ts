// How expired keys are found without an index: by reading the table, a large one in parts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { idempotencyKeyRepository } from '../../src/db/idempotent-requests.ts'
import { createId } from '../../src/lib/ids.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { openTestDatabase } from '../support/servers/test-databases.ts'

const HOUR_MS = 60 * 60 * 1_000
const NOW = new Date('2030-01-01T00:00:00Z')
const ago = (ms: number) => new Date(NOW.getTime() - ms)

let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
})

const addKeys = (count: number, expiresAt: Date) =>
  database.execute(
    `insert into idempotency_keys (team_id, digest, body_hash, response, expires_at)
     select $1, uuid_send(gen_random_uuid()), repeat('a', 64), '{}', $3 from generate_series(1, $2::int)`,
    [createId(), count, expiresAt],
  )

async function left(): Promise<number> {
  const [row] = await database.execute<{ count: number }>('select count(*)::int as count from idempotency_keys')
  return row?.count ?? Number.NaN
}

describe('removing expired keys', () => {
  it('reads all of a small table, and removes what expired more than an hour ago', async () => {
    await addKeys(2_000, ago(HOUR_MS + 1))
    await addKeys(3, ago(HOUR_MS))

    expect(await idempotencyKeyRepository(database).removeExpiredAcrossTeams(NOW)).toBe(2_000)

    expect(await left()).toBe(3)
  })

  it('reads a quarter of a large table each hour', async () => {
    await addKeys(2_000, ago(2 * HOUR_MS))
    const keys = idempotencyKeyRepository(database, { pagesMin: 4 })
    const removed: number[] = []

    for (const hour of [0, 1, 2, 3]) removed.push(await keys.removeExpiredAcrossTeams(new Date(NOW.getTime() + hour * HOUR_MS)))

    expect(await left()).toBe(0)
    // A page that is not full belongs to one of them.
    for (const count of removed) expect(count).toBeGreaterThan(400)
  })
})
