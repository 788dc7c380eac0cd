import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { isOutOfConnections } from '../../src/db/database-errors.ts'
import { until } from '../support/clocks/until.ts'
import { queryAt } from '../support/processes/processes.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'

const CONNECTIONS_MAX = 10

let testDatabase: TestDatabase
let database: Database
beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ databaseUrl: testDatabase.url, onError: () => {}, connectionsMax: CONNECTIONS_MAX })
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
})

/** As an administrator, whom no limit keeps out. */
const allow = (connections: number) =>
  queryAt(
    { connectionString: testDatabase.superuserUrl },
    `alter database ${new URL(testDatabase.url).pathname.slice(1)} connection limit ${connections}`,
  )

const work = () => database.records(({ execute }) => execute('select 1 as one from pg_sleep(0.01)'))

it('waits for the connections that it has while the server refuses more, and grows when it may', async () => {
  await allow(3)

  await Promise.all(Array.from({ length: 60 }, work))
  expect(database.pool.totalCount).toBeLessThanOrEqual(3)

  await allow(-1)
  await until(async () => {
    await Promise.all(Array.from({ length: 60 }, work))
    expect(database.pool.totalCount).toBe(CONNECTIONS_MAX)
  })
})

it('tries again while requests wait, although no connection is released', async () => {
  await allow(1)
  const held = await database.connect()
  const answer = database.execute('select 1 as one')
  await until(() => expect(database.pool.waitingCount).toBe(1))

  await allow(-1)

  expect(await answer).toEqual([{ one: 1 }])
  held.release()
})

it('tells a request that waited in vain of the refusal', async () => {
  await allow(1)
  const hurried = openDatabase({ databaseUrl: testDatabase.url, onError: () => {}, connectMsMax: 1_000 })
  const held = await until(() => hurried.connect())
  try {
    await until(async () => {
      const refused = await hurried.execute('select 1').catch((error: unknown) => error)
      expect(isOutOfConnections(refused)).toBe(true)
    })
  } finally {
    held.release()
    await hurried.close()
  }
})

it('passes the refusal on where it has no connection', async () => {
  await allow(0)

  const refused = await database.execute('select 1').catch((error: unknown) => error)

  expect(isOutOfConnections(refused)).toBe(true)
})
