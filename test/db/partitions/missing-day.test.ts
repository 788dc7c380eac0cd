import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { listPartitions, partitionName } from '../../../src/db/partitions/daily-partitions.ts'
import { createMissingDays, maintainPartitions } from '../../../src/db/partitions/partitions.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { idBound } from '../../../src/lib/ids.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-11-20T12:00:00Z')
const daysFromNow = (days: number) => new Date(NOW.getTime() + days * DAY_MS)
const idOf = (day: Date) => idBound(day.getTime())
const TABLES = ['happenings', 'tries']

let testDatabase: TestDatabase
const opened: Database[] = []
const open = (options: { connectionsMax?: number } = {}) => {
  const database = openDatabase({ databaseUrl: testDatabase.url, onError: () => {}, makeMissingDay: createMissingDays(TABLES), ...options })
  opened.push(database)
  return database
}
let database: Database

beforeEach(async () => {
  testDatabase = await createEmptyDatabase()
  database = open()
  await database.execute('create table happenings (id uuid primary key, what text check (length(what) < 10)) partition by range (id)')
  await database.execute('create table tries (id uuid primary key) partition by range (id)')
  await maintainPartitions(database.pool, { tables: TABLES, now: NOW, retentionDays: null })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
  await testDatabase.drop()
})

const insert = (into: Database, day: Date, what = 'x') => into.execute('insert into happenings values ($1, $2)', [idOf(day), what])
const count = async (table = 'happenings') =>
  (await database.execute<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count
const attached = async (table: string, day: Date) => {
  const client = await database.connect()
  try {
    return (await listPartitions(client, table)).some(({ name, state }) => name === partitionName(table, day) && state === 'attached')
  } finally {
    client.release()
  }
}

describe('a row of a day without a partition', () => {
  it.each([-400, -10, -2, 8, 40, 400, 36_500])(
    'finds its place %i days from now, and the other tables have the day as well',
    async (days) => {
      const day = daysFromNow(days)
      await insert(database, day)
      expect(await count()).toBe(1)
      expect(await Promise.all(TABLES.map((table) => attached(table, day)))).toEqual([true, true])
    },
  )

  it('is stored with the others of its statement, whatever days these are of', async () => {
    const days = [-30, 0, 9, 400]
    await database.execute('insert into happenings select unnest($1::uuid[])', [days.map((day) => idOf(daysFromNow(day)))])
    expect(await count()).toBe(4)
  })

  it('makes the whole transaction run again, and nothing is stored twice', async () => {
    await database.transaction(async (execute) => {
      await execute('insert into happenings values ($1)', [idOf(NOW)])
      await execute('insert into tries values ($1)', [idOf(daysFromNow(20))])
    })
    expect([await count(), await count('tries')]).toEqual([1, 1])
  })

  it('finds its place when forty of them arrive at once through two pools of two connections', async () => {
    const pools = [open({ connectionsMax: 2 }), open({ connectionsMax: 2 })]
    const day = daysFromNow(50)
    await Promise.all(Array.from({ length: 40 }, (_, index) => insert(pools[index % 2] ?? database, new Date(day.getTime() + index))))
    expect(await count()).toBe(40)
  })

  it('gets back the partition that was detached and not yet dropped', async () => {
    await insert(database, new Date(NOW.getTime() + 1))
    await database.execute(`alter table happenings detach partition ${partitionName('happenings', NOW)}`)
    await insert(database, NOW)
    expect(await count()).toBe(2)
  })

  it('gets back the partition whose detaching was cut short by a crash', async () => {
    await leaveDetachPending(partitionName('happenings', NOW))
    await insert(database, NOW)
    expect(await count()).toBe(1)
  })

  it('is refused as unavailable when its table is locked for longer than requests wait', async () => {
    const holder = await database.connect()
    await holder.query('begin; lock table tries in access exclusive mode')
    try {
      const refused = await insert(database, daysFromNow(60)).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(Failure)
      expect(refused).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 })
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    await insert(database, daysFromNow(60))
    expect(await count()).toBe(1)
  })
})

describe('other failures', () => {
  it('stay what they are: a violated check', async () => {
    await expect(insert(database, NOW, 'longer than ten')).rejects.toMatchObject({ code: '23514', constraint: expect.any(String) })
  })

  it('stay what they are: an id that is beyond all days', async () => {
    await expect(database.execute(`insert into happenings values ('ffffffff-ffff-4fff-bfff-ffffffffffff')`)).rejects.toMatchObject({
      code: '23514',
    })
  })
})

// A reader holds the table while the detach waits for it; ending the detach's session is what a crash looks like to PostgreSQL.
async function leaveDetachPending(name: string): Promise<void> {
  const reader = await database.connect()
  await reader.query('begin; select from happenings')
  const detacher = new pg.Client({ connectionString: testDatabase.url })
  detacher.on('error', () => {})
  await detacher.connect()
  const { rows } = await detacher.query<{ pid: number }>('select pg_backend_pid() as pid')
  const detaching = detacher.query(`alter table happenings detach partition ${name} concurrently`).catch(() => {})
  const isPending = 'select from pg_inherits where inhrelid = to_regclass($1) and inhdetachpending'
  await expect.poll(async () => (await database.pool.query(isPending, [name])).rowCount, { interval: 5 }).toBe(1)
  await database.pool.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid])
  await detaching
  await reader.query('rollback')
  reader.release()
}
