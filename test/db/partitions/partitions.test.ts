import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { partitionName } from '../../../src/db/partitions/daily-partitions.ts'
import { maintainPartitions, missingPartitions } from '../../../src/db/partitions/partitions.ts'
import { idBound } from '../../../src/lib/ids.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { startTransactionPooler } from '../../support/servers/transaction-pooler.ts'

const DAY_MS = 86_400_000
const noon = new Date('2026-11-20T12:00:00Z')
const daysLater = (count: number) => new Date(noon.getTime() + count * DAY_MS)
const tables = ['happenings']
const plan = { tables, now: noon, retentionDays: 30 }

let database: TestDatabase
let pool: pg.Pool

beforeEach(async () => {
  database = await createEmptyDatabase()
  pool = new pg.Pool({ connectionString: database.url, max: 4 })
  await pool.query('create table happenings (id uuid primary key) partition by range (id)')
})

afterEach(async () => {
  await pool.end()
  await database.drop()
})

const attached = async () =>
  (
    await pool.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'happenings'::regclass and not inhdetachpending order by 1`,
    )
  ).rows.map(({ name }) => name)
const week = (now: Date) =>
  Array.from({ length: 9 }, (_, index) => partitionName('happenings', new Date(now.getTime() + (index - 1) * DAY_MS)))

describe('maintainPartitions', () => {
  it('makes the days from yesterday to a week ahead, once', async () => {
    expect(await maintainPartitions(pool, plan)).toEqual({ created: week(noon), dropped: [] })
    expect(await maintainPartitions(pool, plan)).toEqual({ created: [], dropped: [] })
    expect(await attached()).toEqual(week(noon))
  })

  it('makes each once when four processes begin at the same time', async () => {
    const results = await Promise.all([1, 2, 3, 4].map(() => maintainPartitions(pool, plan)))
    expect(results.flatMap(({ created }) => created)).toEqual(week(noon))
  })

  it('puts the first and the last id of a day into its partition', async () => {
    await maintainPartitions(pool, plan)
    const midnight = new Date('2026-11-20T00:00:00Z')
    const last = `${idBound(midnight.getTime() + DAY_MS - 1).slice(0, 13)}-7fff-bfff-ffffffffffff`
    await pool.query('insert into happenings values ($1), ($2)', [idBound(midnight.getTime()), last])
    const { rows } = await pool.query('select distinct tableoid::regclass::text as name from happenings')
    expect(rows).toEqual([{ name: 'happenings_p20261120' }])
  })

  it('drops a day when its last moment is older than the retention, and not before', async () => {
    await maintainPartitions(pool, plan)
    const kept = await maintainPartitions(pool, { ...plan, now: new Date('2026-12-19T23:59:59.999Z') })
    expect(kept.dropped).toEqual([])
    const dropped = await maintainPartitions(pool, { ...plan, now: new Date('2026-12-20T00:00:00Z') })
    expect(dropped.dropped).toEqual(['happenings_p20261119'])
    expect(await attached()).not.toContain('happenings_p20261119')
  })

  it('finishes a detach that a crash left half done', async () => {
    await maintainPartitions(pool, plan)
    await leaveDetachPending('happenings_p20261119')
    const { dropped } = await maintainPartitions(pool, { ...plan, now: daysLater(31) })
    expect(dropped).toEqual(['happenings_p20261119', 'happenings_p20261120'])
  })

  it('drops what a crash left detached', async () => {
    await maintainPartitions(pool, plan)
    await pool.query('alter table happenings detach partition happenings_p20261119')
    const { dropped } = await maintainPartitions(pool, { ...plan, now: daysLater(30) })
    expect(dropped).toEqual(['happenings_p20261119'])
    expect((await pool.query(`select to_regclass('happenings_p20261119') as name`)).rows).toEqual([{ name: null }])
  })

  it('waits for readers longer than the statements of the pool may take', async () => {
    await maintainPartitions(pool, plan)
    const later = { ...plan, now: daysLater(30) }
    await maintainPartitions(pool, { ...later, retentionDays: 60 })
    const reader = await pool.connect()
    await reader.query('begin; select from happenings')
    const hasty = new pg.Pool({ connectionString: database.url, query_timeout: 1, statement_timeout: 1 })
    const maintaining = maintainPartitions(hasty, later)
    const isPending = 'select from pg_inherits where inhdetachpending'
    await expect.poll(async () => (await pool.query(isPending)).rowCount, { interval: 5 }).toBe(1)
    await reader.query('rollback')
    reader.release()

    expect((await maintaining).dropped).toEqual([partitionName('happenings', daysLater(-1))])
    await hasty.end()
  })

  it('works through a pooler, which refuses settings while a connection is made', async () => {
    const pooler = await startTransactionPooler(database.url, { connections: 1 })
    const pooled = new pg.Pool({ connectionString: pooler.url, statement_timeout: 1 })
    try {
      expect(await maintainPartitions(pooled, plan)).toEqual({ created: week(noon), dropped: [] })
    } finally {
      await pooler.close()
    }
  })

  it('leaves tables alone that only begin with the same name', async () => {
    await pool.query(
      'create table happenings_plus (id uuid); create table happenings_p2026 (id uuid); create table other_p20200101 (id uuid)',
    )
    expect((await maintainPartitions(pool, plan)).dropped).toEqual([])
    const { rows } = await pool.query(
      `select count(to_regclass(name))::int as count from unnest(array['happenings_plus', 'happenings_p2026', 'other_p20200101']) name`,
    )
    expect(rows).toEqual([{ count: 3 }])
  })

  // A reader holds the table while the detach waits for it; ending the detach's session is what a crash looks like to PostgreSQL.
  async function leaveDetachPending(name: string) {
    const reader = await pool.connect()
    await reader.query('begin; select from happenings')
    const detacher = new pg.Client({ connectionString: database.url })
    detacher.on('error', () => {})
    await detacher.connect()
    const { rows } = await detacher.query<{ pid: number }>('select pg_backend_pid() as pid')
    const detaching = detacher.query(`alter table happenings detach partition ${name} concurrently`).catch(() => {})
    const isPending = `select from pg_inherits where inhrelid = to_regclass($1) and inhdetachpending`
    await expect.poll(async () => (await pool.query(isPending, [name])).rowCount, { interval: 5 }).toBe(1)
    await pool.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid])
    await detaching
    await reader.query('rollback')
    reader.release()
    expect((await pool.query(isPending, [name])).rowCount).toBe(1)
  }
})

describe('missingPartitions', () => {
  it('names today and tomorrow until they are there', async () => {
    expect(await missingPartitions(pool, tables, noon)).toEqual(['happenings_p20261120', 'happenings_p20261121'])
    await maintainPartitions(pool, plan)
    expect(await missingPartitions(pool, tables, noon)).toEqual([])
    expect(await missingPartitions(pool, tables, daysLater(6))).toEqual([])
    expect(await missingPartitions(pool, tables, daysLater(7))).toEqual(['happenings_p20261128'])
  })

  it('does not count a table of the right name that is not attached', async () => {
    await maintainPartitions(pool, plan)
    await pool.query('alter table happenings detach partition happenings_p20261120')
    expect(await missingPartitions(pool, tables, noon)).toEqual(['happenings_p20261120'])
  })
})
