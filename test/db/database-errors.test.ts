import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { idWithoutPartition, isDiskFull, isOutOfConnections, isRefusedData, isUnavailable } from '../../src/db/database-errors.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'

const withCode = (code: string, message = 'wrapped') => Object.assign(new Error(message), { code })
const wrapped = (error: unknown, times: number): unknown =>
  times === 0 ? error : new Error('wrapper', { cause: wrapped(error, times - 1) })

describe('isUnavailable', () => {
  it.each([
    '08006',
    '08P01',
    '25006',
    '28P01',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    '53300',
    '57P01',
    '57014',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'P1001',
    'P2024',
  ])('is true of the code %s, however deep it is wrapped', (code) => {
    for (const times of [0, 1, 5]) expect(isUnavailable(wrapped(withCode(code), times))).toBe(true)
  })

  it.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'connect EAGAIN \0posthaste-0/.s.PGSQL.5432',
  ])('is true of what pg says without a code: %s', (message) => expect(isUnavailable(new Error(message))).toBe(true))

  it.each(['23505', '22P05', '42P01', '40001', '0800', '080066', 'ENOENT', 'P2002', ''])('is false of the code %j', (code) =>
    expect(isUnavailable(withCode(code))).toBe(false),
  )

  it.each([undefined, null, 'ECONNRESET', 5, {}, [], new Error('x')])('is false of %j', (error) => expect(isUnavailable(error)).toBe(false))

  it('looks into an aggregate, and at plain objects that libraries give as a cause', () => {
    expect(isUnavailable(new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]))).toBe(true)
    expect(isUnavailable(new Error('adapter', { cause: { originalCode: '57P01' } }))).toBe(true)
  })

  it('looks at what Prisma keeps beside its own code', () => {
    const adapterError = new Error('adapter', { cause: { originalCode: '57P01', kind: 'postgres' } })
    const error = Object.assign(new Error('Database error'), {
      code: 'P2039',
      meta: { modelName: 'Team', driverAdapterError: adapterError },
    })
    expect(isUnavailable(error)).toBe(true)
    expect(isUnavailable(Object.assign(new Error('x'), { code: 'P2025', meta: null }))).toBe(false)
  })

  it('ends for errors that are their own cause', () => {
    const error = new Error('round')
    error.cause = error
    expect(isUnavailable(error)).toBe(false)
  })
})

describe('isDiskFull', () => {
  it.each([withCode('53100'), withCode('XX000', 'could not extend file "base/5/16384": Disk quota exceeded')])('is true of %s', (error) => {
    for (const times of [0, 2]) expect([isDiskFull(wrapped(error, times)), isUnavailable(wrapped(error, times))]).toEqual([true, true])
  })
  it.each([withCode('53300'), withCode('53400'), new Error('x')])('is false of %s', (error) => expect(isDiskFull(error)).toBe(false))
})

describe('isOutOfConnections', () => {
  it.each([withCode('53300'), withCode('08P01', 'no more connections allowed (max_client_conn)')])('is true of %s', (error) =>
    expect(isOutOfConnections(error)).toBe(true),
  )
  it.each([withCode('53100'), withCode('08P01'), new Error('x')])('is false of %s', (error) =>
    expect(isOutOfConnections(error)).toBe(false),
  )
})

describe('isRefusedData', () => {
  it.each(['22P05', '22021', '23505', '23503'])('is true of %s', (code) => expect(isRefusedData(wrapped(withCode(code), 2))).toBe(true))
  it.each(['08006', '53300', '57014', '42601', '40001', 'P2002'])('is false of %s', (code) =>
    expect(isRefusedData(withCode(code))).toBe(false),
  )
})

describe('idWithoutPartition', () => {
  const ID = '019a9f6e-0000-7000-8000-000000000000'
  const detail = `Partition key of the failing row contains (id) = (${ID}).`
  const missing = Object.assign(withCode('23514'), { detail })

  it('reads the id, however deep the error is wrapped, and in any language', () => {
    expect(idWithoutPartition(wrapped(missing, 3))).toBe(ID)
    expect(idWithoutPartition(Object.assign(withCode('23514'), { detail: `Der Schlüssel enthält (id) = (${ID}).` }))).toBe(ID)
  })

  it('reads it from what Prisma keeps of an error', () => {
    const adapterError = new Error('adapter', { cause: { originalCode: '23514', kind: 'postgres', code: '23514', detail } })
    expect(idWithoutPartition(Object.assign(new Error('x'), { code: 'P2010', meta: { driverAdapterError: adapterError } }))).toBe(ID)
  })

  it.each([
    ['a violated check', Object.assign(withCode('23514'), { detail, constraint: 'emails_state_check' })],
    [
      'a violated check as Prisma tells it, with a text that looks like it',
      Object.assign(withCode('23514'), { detail: `Failing row contains (1, (id) = (${ID})).` }),
    ],
    ['another code', Object.assign(withCode('23505'), { detail })],
    ['an error without a detail', withCode('23514')],
    ['no error', null],
  ])('is null for %s', (_what, error) => expect(idWithoutPartition(error)).toBeNull())
})

describe('real errors', () => {
  let testDatabase: TestDatabase
  let database: Database
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = openDatabase({ databaseUrl: testDatabase.url, onError: () => {} })
  })
  afterAll(async () => {
    await database.close()
    await testDatabase.drop()
  })

  const errorOf = (act: () => Promise<unknown>): Promise<unknown> =>
    act().then(
      () => null,
      (error: unknown) => error,
    )

  it.each<[string, () => Promise<unknown>]>([
    ['NUL in jsonb', () => database.execute(`select $1::jsonb`, ['"\\u0000"'])],
    ['half a surrogate pair in jsonb', () => database.execute(`select $1::jsonb`, ['"\\ud800"'])],
    [
      'a row twice',
      () =>
        database.execute(
          `insert into data_keys (purpose, version, wrapped, created_at) select 'x', 1, '', now() from generate_series(1, 2)`,
        ),
    ],
    [
      'a row twice through Prisma’s raw door',
      () =>
        database.tables.$executeRawUnsafe(
          `insert into data_keys (purpose, version, wrapped, created_at) select 'x', 1, '', now() from generate_series(1, 2)`,
        ),
    ],
  ])('are refused data: %s', async (_what, act) => {
    const error = await errorOf(act)
    expect({ isRefused: isRefusedData(error), isUnavailable: isUnavailable(error) }).toEqual({ isRefused: true, isUnavailable: false })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['a session that the server ends', () => database.execute('select pg_terminate_backend(pg_backend_pid())')],
    ['the same through Prisma', () => database.tables.$queryRawUnsafe('select pg_terminate_backend(pg_backend_pid())')],
    ['a statement that is canceled', () => database.execute(`set statement_timeout = 1; select pg_sleep(5)`)],
    ['a write where only reading is allowed', () => database.execute('set transaction read only; create table one ()')],
    ['no server at the port', () => new pg.Client({ host: '127.0.0.1', port: 1 }).connect()],
  ])('are unavailability: %s', async (_what, act) => {
    const error = await errorOf(act)
    expect({ isRefused: isRefusedData(error), isUnavailable: isUnavailable(error) }).toEqual({ isRefused: false, isUnavailable: true })
  })

  it('are neither when the fault is ours', async () => {
    const error = await errorOf(() => database.execute('select nothing'))
    expect({ isError: error instanceof Error, isRefused: isRefusedData(error), isUnavailable: isUnavailable(error) }).toEqual({
      isError: true,
      isRefused: false,
      isUnavailable: false,
    })
  })
})
