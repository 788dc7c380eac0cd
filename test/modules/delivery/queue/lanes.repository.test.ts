import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database, Execute } from '../../../../src/db/database.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { LANES_MAX, type Lane, ROWS_MOVED_MAX, WHOLE_QUEUE } from '../../../../src/modules/delivery/lanes.ts'
import { laneRepository } from '../../../../src/modules/delivery/queue/lanes.repository.ts'
import { queueRows } from '../../../support/builders/engine.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
})
afterEach(() => database.execute('truncate deliveries, queue_pauses'))
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const TEAM = createId()
const lanes = () => laneRepository(database)
const lane = (destination: string, more: Partial<Lane> = {}): Lane => ({ class: 'transactional', teamId: TEAM, destination, ...more })
const inMs = (ms: number) => new Date(Date.now() + ms)
const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const readyIds = async () =>
  (await database.execute<{ id: string }>('select id from deliveries where is_ready order by id')).map(({ id }) => id)

describe('promotion', () => {
  it('moves a thousand rows a statement, those first that are due for longest', async () => {
    const nowMs = Date.now()
    const waiting = range(ROWS_MOVED_MAX + 200).map((index) => ({
      ...lane('a.test'),
      isReady: false,
      dueAt: new Date(nowMs - 1_000 - index),
    }))
    const ids = await queueRows(database, waiting)

    expect(await lanes().promoteAcrossTeams(new Date())).toBe(ROWS_MOVED_MAX)
    expect(await readyIds()).toEqual(ids.slice(200))
    expect(await lanes().promoteAcrossTeams(new Date())).toBe(200)
    expect(await lanes().promoteAcrossTeams(new Date())).toBe(0)
    expect(await readyIds()).toEqual(ids)
  })

  it('leaves alone what is due later, what a worker has, and what was put aside', async () => {
    await queueRows(database, [
      { ...lane('later.test'), isReady: false, dueAt: inMs(60_000) },
      { ...lane('leased.test'), isReady: false, dueAt: inMs(-1_000), leasedBy: createId() },
    ])
    await database.execute(`insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
      values (gen_random_uuid(), '${TEAM}', 'bulk', 'parked.test', gen_random_uuid(), 'infinity', false)`)

    expect(await lanes().promoteAcrossTeams(inMs(1_000))).toBe(0)
    // Not even when the clock jumps as far as it can.
    expect(await lanes().promoteAcrossTeams(new Date(8.64e15))).toBe(1)
    expect(await database.execute('select destination from deliveries where is_ready')).toEqual([{ destination: 'later.test' }])
  })

  it('skips rows that another worker is moving, instead of waiting for them', async () => {
    const ids = await queueRows(
      database,
      range(4).map(() => ({ ...lane('a.test'), isReady: false, dueAt: inMs(-1_000) })),
    )
    await database.transaction(async (inside) => {
      await inside('select from deliveries where id = any($1) for update', [ids.slice(0, 2)])
      expect(await lanes().promoteAcrossTeams(new Date())).toBe(2)
    })
    expect(await readyIds()).toEqual(ids.slice(2))
  })
})

describe('the list of lanes', () => {
  /** All lanes of a class, round after round, in the order in which a worker reads them. */
  async function rounds(kind: Lane['class']): Promise<Lane[][]> {
    const found: Lane[][] = []
    for (let after: Lane | null = null; ; ) {
      const page: Lane[] = await lanes().listAcrossTeams(kind, after)
      found.push(page)
      if (page.length < LANES_MAX) return found
      after = page.at(-1) ?? null
    }
  }

  it('continues where it stopped, and finds each lane once', async () => {
    const teams = [createId(), createId()]
    const wanted = range(1_200).map((index) => lane(`d${index}.test`, { teamId: teams[index % 2] ?? TEAM }))
    await queueRows(database, [...wanted, ...wanted.slice(0, 300), { ...lane('bulk.test'), class: 'bulk' }])

    const found = await rounds('transactional')

    expect(found.map(({ length }) => length)).toEqual([LANES_MAX, LANES_MAX, 200])
    const keys = found.flat().map(({ teamId, destination }) => `${teamId} ${destination}`)
    expect(keys.toSorted()).toEqual(wanted.map(({ teamId, destination }) => `${teamId} ${destination}`).toSorted())
    expect(await rounds('bulk')).toEqual([[{ ...lane('bulk.test'), class: 'bulk' }]])
  })

  it('shows no lane that has only rows that wait or that a worker has', async () => {
    await queueRows(database, [
      { ...lane('waiting.test'), isReady: false, dueAt: inMs(60_000) },
      { ...lane('leased.test'), leasedBy: createId() },
      lane('ready.test'),
    ])

    expect(await rounds('transactional')).toEqual([[lane('ready.test')]])
  })

  it.each([
    ['from the first lane', null],
    ['from a lane in the middle', lane('d10.test')],
  ])('probes the index of ready rows once per lane, %s, and never reads all rows', async (_what, after) => {
    await queueRows(
      database,
      range(20_000).map((index) => lane(`d${index % 20}.test`)),
    )
    await database.execute('analyze deliveries')
    const explained: PlanNode[] = []
    const execute: Execute = async (sql, values) => {
      const [row] = await database.execute<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, buffers, format json) ${typeof sql === 'string' ? sql : sql.text}`,
        values,
      )
      if (row) explained.push(...nodesOf(row['QUERY PLAN'][0].Plan))
      return []
    }
    const explaining = laneRepository({ execute, transaction: (work) => work(execute) })

    await explaining.listAcrossTeams('transactional', after)

    const scans = explained.filter((node) => node['Relation Name'] === 'deliveries')
    expect(scans.map((node) => `${node['Node Type']} ${node['Index Name']}`)).toEqual(Array(2).fill('Index Only Scan deliveries_ready_idx'))
    // Two scans, each stopped at its first row: one row per lane, and one probe that finds no further lane.
    expect(scans.map((node) => node['Actual Rows'])).toEqual(scans.map(() => expect.toSatisfy((rows: number) => rows <= 1)))
    const probes = scans.reduce((sum, node) => sum + node['Actual Loops'], 0)
    expect(probes).toBe((await lanes().listAcrossTeams('transactional', after)).length + 1)
    expect(Math.max(...scans.map((node) => node['Rows Removed by Filter'] ?? 0))).toBe(0)
  })
})

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

describe('putting aside', () => {
  const pause = (destination: string | null) =>
    database.execute(`insert into queue_pauses values (gen_random_uuid(), null, null, $1, now())`, [destination])

  it('takes a thousand rows of the paused ones among the lanes, and no others', async () => {
    await queueRows(
      database,
      [...range(700), ...range(700)].map((_, index) => lane(index % 2 === 0 ? 'a.test' : 'b.test')),
    )
    await queueRows(database, [lane('c.test'), { ...lane('a.test'), leasedBy: createId() }])
    await pause('a.test')
    await pause('b.test')
    const named = [lane('a.test'), lane('b.test'), lane('c.test')]

    expect(await lanes().parkAcrossTeams(named)).toBe(ROWS_MOVED_MAX)
    expect(await lanes().parkAcrossTeams(named)).toBe(400)
    expect(await lanes().parkAcrossTeams(named)).toBe(0)
    expect(
      await database.execute(
        `select destination, due_at = 'infinity' as "isParked", count(*)::int from deliveries group by 1, 2 order by 1, 2`,
      ),
    ).toEqual([
      { destination: 'a.test', isParked: false, count: 1 },
      { destination: 'a.test', isParked: true, count: 700 },
      { destination: 'b.test', isParked: true, count: 700 },
      { destination: 'c.test', isParked: false, count: 1 },
    ])
  })

  it('does nothing for a worker that has not heard yet that the pause is over', async () => {
    await queueRows(database, [lane('a.test')])

    expect(await lanes().parkAcrossTeams([lane('a.test')])).toBe(0)
  })

  it('lets no one end the pause before its rows are visible to those who take them back', async () => {
    await queueRows(database, [lane('a.test')])
    await pause('a.test')
    let resumed: Promise<number> | undefined
    await database.transaction(async (inside) => {
      expect(await laneRepository({ execute: inside, transaction: database.transaction }).parkAcrossTeams([lane('a.test')])).toBe(1)
      await expect(
        database.transaction(async (other) => {
          await other(`set local lock_timeout = '50ms'`)
          await other('delete from queue_pauses')
        }),
      ).rejects.toThrow('lock timeout')
      resumed = database.execute('delete from queue_pauses').then(() => lanes().unparkAcrossTeams(WHOLE_QUEUE, new Date()))
    })

    expect(await resumed).toBe(1)
  })

  it('is undone for what no pause holds any longer, a thousand rows a statement', async () => {
    await queueRows(
      database,
      range(ROWS_MOVED_MAX + 100).map(() => lane('a.test')),
    )
    await queueRows(database, [lane('b.test')])
    await pause(null)
    await lanes().parkAcrossTeams([lane('a.test'), lane('b.test')])
    await lanes().parkAcrossTeams([lane('a.test'), lane('b.test')])
    await database.execute(`delete from queue_pauses`)
    await pause('b.test')

    expect(await lanes().unparkAcrossTeams(WHOLE_QUEUE, new Date())).toBe(ROWS_MOVED_MAX)
    expect(await lanes().unparkAcrossTeams(WHOLE_QUEUE, new Date())).toBe(100)
    expect(await lanes().promoteAcrossTeams(inMs(1_000))).toBe(ROWS_MOVED_MAX)
    expect(await database.execute(`select destination from deliveries where due_at = 'infinity'`)).toEqual([{ destination: 'b.test' }])
  })
})
