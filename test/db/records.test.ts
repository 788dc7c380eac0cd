import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, type DatabaseOptions, type Execute, openDatabase } from '../../src/db/database.ts'
import { isCanceled, isDeadlock, isDuplicate, isRefusedData, isUnavailable, ReadOnlyServer } from '../../src/db/database-errors.ts'
import { addJob } from '../../src/db/jobs/jobs.ts'
import { append } from '../../src/db/outbox.ts'
import { createMissingDays } from '../../src/db/partitions/partitions.ts'
import { againAfterDeadlock } from '../../src/db/transactions.ts'
import { createId, idBound } from '../../src/lib/ids.ts'
import { until } from '../support/clocks/until.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { startTransactionPooler } from '../support/servers/transaction-pooler.ts'

const NOW = new Date('2026-11-20T12:00:00.123Z')
const TEAM = '019a9f6e-0000-7000-8000-00000000000a'
const OTHER = '019a9f6e-0000-7000-8000-00000000000b'

let testDatabase: TestDatabase
let database: Database
const opened: Database[] = []
function open(options: Partial<DatabaseOptions> = {}): Database {
  const one = openDatabase({ databaseUrl: testDatabase.url, onError: () => {}, ...options })
  opened.push(one)
  return one
}

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = open()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
  await testDatabase.drop()
})

const team = (id: string, name = 'Acme') => ({ id, name, createdAt: NOW, suppressesSoftBounces: true })
const columns = { id: true, name: true, createdAt: true, suppressesSoftBounces: true } as const
const teams = (on: Database = database) => on.tables.team.findMany({ select: columns, orderBy: { id: 'asc' } })
const failureOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => null,
    (error: unknown) => error,
  )

describe('a transaction in SQL that names its last statement', () => {
  const ADD = 'insert into teams (id, name, created_at) values ($1, $2, $3)'

  it('is committed with it, and leaves nothing if it fails', async () => {
    await database.transaction(async (execute) => {
      await execute(ADD, [TEAM, 'Acme', NOW])
      await execute(ADD, [OTHER, 'Other', NOW], { isLast: true })
      expect(await teams()).toEqual([team(TEAM), team(OTHER, 'Other')])
    })
    const failing = database.transaction(async (execute) => {
      await execute('delete from teams where id = $1', [OTHER])
      await execute(ADD, [TEAM, 'Again', NOW], { isLast: true })
    })
    expect(isDuplicate(await failureOf(failing))).toBe(true)
    expect(await teams()).toEqual([team(TEAM), team(OTHER, 'Other')])
  })

  it('runs none after it', async () => {
    const work = database.transaction(async (execute) => {
      await execute(ADD, [TEAM, 'Acme', NOW], { isLast: true })
      await execute(ADD, [OTHER, 'Other', NOW])
    })
    expect(await failureOf(work)).toBeInstanceOf(Error)
    expect(await teams()).toEqual([team(TEAM)])
  })
})

describe('a transaction of records', () => {
  it('is one: Prisma and plain SQL read what the other has written, and no other transaction does before the end', async () => {
    await database.records(async ({ tables, execute }) => {
      await tables.team.create({ data: team(TEAM) })
      await execute('insert into teams (id, name, created_at) values ($1, $2, $3)', [OTHER, 'Other', NOW])
      expect(await execute('select name from teams order by id')).toEqual([{ name: 'Acme' }, { name: 'Other' }])
      expect(await tables.team.count()).toBe(2)
      expect(await teams()).toEqual([])
    })
    expect(await teams()).toEqual([team(TEAM), team(OTHER, 'Other')])
  })

  it('leaves nothing when its work throws, of either, and gives the error on', async () => {
    const error = new Error('The work failed')
    const work = database.records(async ({ tables, execute }) => {
      await tables.team.create({ data: team(TEAM) })
      await addJob(execute, 'remove-members', { topicId: TEAM })
      throw error
    })
    expect(await failureOf(work)).toBe(error)
    expect([await teams(), await database.execute('select id from graphile_worker._private_jobs')]).toEqual([[], []])
  })

  it('hands values back as plain SQL does elsewhere', async () => {
    const values = [NOW, TEAM, 7, 'text', true, null, JSON.stringify({ a: [1] }), [TEAM, OTHER], [NOW, null], [], Buffer.from([0, 255])]
    const read = (execute: Execute) =>
      execute(
        `select $1::timestamptz as time, $2::uuid as id, $3::int as number, $4::text as text, $5::boolean as flag, $6::text as nothing, $7::jsonb as json,
           $8::uuid[] as ids, $9::timestamptz[] as times, $10::text[] as none, encode($11::bytea, 'hex') as bytes, 1.5::float8 as fraction, '{x,y}'::text[] as words`,
        values,
      )
    expect(await database.records(({ execute }) => read(execute))).toEqual(await read(database.execute))
    expect(await database.records(({ execute }) => execute('select from generate_series(1, 2)'))).toEqual([{}, {}])
  })

  it('makes the day that a notification of it lacks, and runs again as a whole', async () => {
    const mending = open({ makeMissingDay: createMissingDays(['notifications', 'attempts', 'request_logs']) })
    // In a century: whenever the tests run, no one has made it.
    const day = new Date(NOW.getTime() + 36_500 * 86_400_000)
    const id = idBound(day.getTime())
    let runs = 0
    await mending.records(async ({ tables, execute }) => {
      runs += 1
      await tables.team.create({ data: team(TEAM) })
      await append(execute, [{ id, teamId: TEAM, type: 'topic.deleted', subjectId: TEAM, data: DATA }], day)
    })
    expect(runs).toBe(2)
    expect(await teams()).toEqual([team(TEAM)])
    expect(await database.execute('select id, created_at as "createdAt" from notifications')).toEqual([{ id, createdAt: day }])
  })

  it('makes the day also for a row that Prisma itself writes', async () => {
    const mending = open({ makeMissingDay: createMissingDays(['notifications', 'attempts', 'request_logs']) })
    const id = idBound(NOW.getTime() - 900 * 86_400_000)
    const data = { id, teamId: TEAM, type: 'topic.deleted', subjectId: TEAM, data: DATA, createdAt: NOW }
    await mending.records(({ tables }) => tables.notification.create({ data, select: { id: true } }))
    expect(await database.execute('select id from notifications')).toEqual([{ id }])
  })

  it.each<[string, (on: Transaction, id: string) => Promise<unknown>]>([
    ['Prisma', ({ tables }, id) => tables.team.update({ where: { id }, data: { name: 'Changed' }, select: { id: true } })],
    ['plain SQL', ({ execute }, id) => execute(`update teams set name = 'Changed' where id = $1`, [id])],
  ])('is run again when PostgreSQL ends it for a deadlock, met by %s', async (_by, change) => {
    await database.tables.team.createMany({ data: [team(TEAM), team(OTHER)] })
    const meeting = createMeeting()
    const deadlocks: boolean[] = []
    const other = Promise.withResolvers<void>()
    const inOrder = (ids: string[]) =>
      againAfterDeadlock(async () => {
        // Where the other one is late, they would meet again.
        if (deadlocks.length > 0) await other.promise
        await database
          .records(async (record) => {
            for (const id of ids) {
              await change(record, id)
              await meeting.arrive()
            }
          })
          .then(other.resolve, (error: unknown) => {
            deadlocks.push(isDeadlock(error))
            throw error
          })
      })
    await Promise.all([inOrder([TEAM, OTHER]), inOrder([OTHER, TEAM])])
    expect(deadlocks).toEqual([true])
    expect(await teams()).toEqual([team(TEAM, 'Changed'), team(OTHER, 'Changed')])
  })
})

type Transaction = Parameters<Parameters<Database['records']>[0]>[0]

const DATA = {
  id: TEAM,
  name: 'News',
  description: null,
  default_subscription: 'opt_in' as const,
  deleted: true,
  created_at: NOW.toISOString(),
  updated_at: NOW.toISOString(),
}

/** Two come together once; later arrivals do not wait. */
function createMeeting() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return {
    arrive(): Promise<void> {
      arrived += 1
      if (arrived >= 2) resolve()
      return promise
    },
  }
}

describe('an error in a transaction of records', () => {
  const KEY = { purpose: 'x', version: 1, wrapped: new Uint8Array([1]), createdAt: NOW }
  const duplicate = { isDuplicate: true, isRefused: true, isUnavailable: false, isCanceled: false }
  const refused = { isDuplicate: false, isRefused: true, isUnavailable: false, isCanceled: false }
  const unavailable = { isDuplicate: false, isRefused: false, isUnavailable: true, isCanceled: false }
  const neither = { isDuplicate: false, isRefused: false, isUnavailable: false, isCanceled: false }

  it.each<[string, object, (on: Transaction) => Promise<unknown>]>([
    ['a row twice, by Prisma', duplicate, ({ tables }) => tables.dataKey.createMany({ data: [KEY, KEY] })],
    [
      'a row twice, by plain SQL',
      duplicate,
      ({ execute }) =>
        execute(`insert into data_keys (purpose, version, wrapped, created_at) select 'x', 1, '', now() from generate_series(1, 2)`),
    ],
    ['a NUL, by Prisma', refused, ({ tables }) => tables.team.create({ data: team(TEAM, 'a\u0000b') })],
    ['a NUL, by plain SQL', refused, ({ execute }) => execute('select $1::jsonb', ['"\\u0000"'])],
    [
      'a key of no team, by Prisma',
      refused,
      ({ tables }) =>
        tables.apiKey.create({
          data: { id: createId(), teamId: OTHER, name: 'x', permission: 'full_access', digest: 'x', createdAt: NOW },
        }),
    ],
    ['a session that ends', unavailable, ({ execute }) => execute('select pg_terminate_backend(pg_backend_pid())')],
    [
      'a session that ended',
      unavailable,
      async ({ tables, execute }) => {
        await failureOf(execute('select pg_terminate_backend(pg_backend_pid())'))
        await tables.team.count()
      },
    ],
    [
      'a statement that took too long',
      { ...unavailable, isCanceled: true },
      async ({ execute }) => {
        await execute('set local statement_timeout = 1')
        await execute('select pg_sleep(5)::text')
      },
    ],
    ['a mistake of ours', neither, ({ execute }) => execute('select nothing')],
  ])('says what it is: %s', async (_what, expected, act) => {
    const error = await failureOf(database.records(act))
    expect({
      isDuplicate: isDuplicate(error),
      isRefused: isRefusedData(error),
      isUnavailable: isUnavailable(error),
      isCanceled: isCanceled(error),
    }).toEqual(expected)
    await database.records(({ tables }) => tables.team.create({ data: team(TEAM) }))
    expect(await teams()).toEqual([team(TEAM)])
  })

  it('says that there is no connection, when all of them are in use', async () => {
    const narrow = open({ connectionsMax: 1, connectMsMax: 3_000 })
    const holder = await until(() => narrow.connect())
    const error = await failureOf(narrow.records(({ tables }) => tables.team.count()))
    expect({ isError: error instanceof Error, isUnavailable: isUnavailable(error) }).toEqual({ isError: true, isUnavailable: true })
    holder.release()
    expect(await narrow.records(({ tables }) => tables.team.count())).toBe(0)
  })
})

describe('the connections', () => {
  it('read times as they are, on a server that keeps the time of another zone', async () => {
    await database.execute(
      `do $$ begin execute format('alter database %I set timezone to ''America/New_York''', current_database()); end $$`,
    )
    const elsewhere = open()
    await elsewhere.tables.team.create({ data: team(TEAM) })
    expect(await teams(elsewhere)).toEqual([team(TEAM)])
    expect(await elsewhere.execute('select id, name, created_at as "createdAt" from teams')).toEqual([
      { id: TEAM, name: 'Acme', createdAt: NOW },
    ])
  })

  it('are not used again when one is given back in the middle of a transaction', async () => {
    const narrow = open({ connectionsMax: 1 })
    const client = await narrow.connect()
    await client.query('begin')
    await client.query('insert into teams (id, name, created_at) values ($1, $2, $3)', [TEAM, 'Acme', NOW])
    client.release()
    await narrow.records(({ tables }) => tables.team.create({ data: team(OTHER) }))
    expect(await teams()).toEqual([team(OTHER)])
  })

  it('have their time limits and their time zone through a pooler, which refuses settings while a connection is made', async () => {
    const pooler = await startTransactionPooler(testDatabase.url, { connections: 1 })
    const pooled = open({ databaseUrl: pooler.url, connectionsMax: 1 })
    try {
      expect(
        await pooled.execute(
          `select name, setting from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'TimeZone') order by 1`,
        ),
      ).toEqual([
        { name: 'TimeZone', setting: 'UTC' },
        { name: 'idle_in_transaction_session_timeout', setting: '30000' },
        { name: 'statement_timeout', setting: '30000' },
      ])
    } finally {
      await pooler.close()
    }
  })

  it('have no statement compiled, also where the server would', async () => {
    await database.execute(`do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`)
    expect(await open().execute('show jit')).toEqual([{ jit: 'off' }])
  })
})

describe('a server that becomes read-only', () => {
  const INSERT = `insert into teams (id, name, created_at) values ('${TEAM}', 'Acme', now())`
  const becomeReadOnly = (on: Database) => on.execute('set default_transaction_read_only = on')

  it.each<[string, (on: Database) => Promise<unknown>]>([
    ['a statement', ({ execute }) => execute(INSERT)],
    ['a statement of Prisma', ({ tables }) => tables.team.create({ data: team(TEAM) })],
    ['a transaction', ({ transaction }) => transaction((execute) => execute(INSERT))],
    ['a probe', ({ probe }) => probe(INSERT)],
    ['records, by Prisma', ({ records }) => records(({ tables }) => tables.team.create({ data: team(TEAM) }))],
    ['records, by plain SQL', ({ records }) => records(({ execute }) => execute(INSERT))],
  ])('fails %s for the moment, and is left: the next one goes over a new connection', async (_what, write) => {
    const narrow = open({ connectionsMax: 1 })
    await becomeReadOnly(narrow)
    expect(isUnavailable(await failureOf(write(narrow)))).toBe(true)
    await write(narrow)
    expect(await teams()).toMatchObject([{ id: TEAM }])
  })

  it('gets no new connection of a service, and one of a command that reads', async () => {
    await database.execute(
      `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    )
    const error = await failureOf(open({ mustWrite: true }).execute('select 1'))
    expect(error).toEqual(new ReadOnlyServer())
    expect(isUnavailable(error)).toBe(true)
    expect(await open().execute('select 1 as one')).toEqual([{ one: 1 }])
  })
})
