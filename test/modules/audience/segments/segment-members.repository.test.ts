import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoundedQueries } from '../../../../src/db/bounded-queries.ts'
import type { Database, Execute } from '../../../../src/db/database.ts'
import { Failure } from '../../../../src/lib/failure.ts'
import { createId } from '../../../../src/lib/ids.ts'
import type { PageRequest } from '../../../../src/lib/page-request.ts'
import { segmentMemberRepository } from '../../../../src/modules/audience/segments/segment-members.repository.ts'
import { orphanedMemberRepository } from '../../../../src/modules/audience/segments/segments.repository.ts'
import { until } from '../../../support/clocks/until.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { openExplaining } from '../../../support/servers/statements.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

const TEAM = createId()
const EVERYBODY = createId()
const OLDEST = createId()
const CONTACTS = 20_000

type PlanNode = { 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: PlanNode[] }

let testDatabase: TestDatabase
let database: Database
let middle: string

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  const { execute } = database
  await execute(
    `insert into contacts (id, team_id, email, address_hash, created_at, updated_at)
     select ('0193a5c2-7d4e-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, $1, 'person' || i || '@example.com', md5(i::text), now(), now()
       from generate_series(1, $2::int) i`,
    [TEAM, CONTACTS],
  )
  await execute('insert into contact_segments select $1, id, now() from contacts', [EVERYBODY])
  await execute('insert into contact_segments select $1, id, now() from contacts order by id limit 100', [OLDEST])
  const [row] = await execute<{ id: string }>('select id from contacts order by id offset $1 limit 1', [CONTACTS / 2])
  middle = row?.id ?? ''
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

describe('the contacts that were put into a segment', () => {
  const pages: [what: string, segmentId: string, request: () => PageRequest][] = [
    ['the first page', EVERYBODY, () => ({ limit: 20, after: null, before: null })],
    ['a page in the middle', EVERYBODY, () => ({ limit: 20, after: middle, before: null })],
    ['a page backward', EVERYBODY, () => ({ limit: 20, after: null, before: middle })],
    ['the first page of few and old ones', OLDEST, () => ({ limit: 20, after: null, before: null })],
  ]
  it.each(pages)('are looked at only as far as the page goes, whatever is known of the tables: %s', async (_what, segmentId, request) => {
    const plans: PlanNode[] = []
    const explaining: Execute = async (sql, values) => {
      const [row] = await database.execute<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) ${String(sql)}`, values)
      if (row) plans.push(row['QUERY PLAN'][0].Plan)
      return database.execute(sql, values)
    }
    const members = segmentMemberRepository({ execute: explaining }, { filterQueries: createBoundedQueries(database) })
    for (const knowledge of ['select 1', 'analyze']) {
      await database.execute(knowledge)
      plans.length = 0
      expect((await members.list(TEAM, { id: segmentId, filter: null }, request())).rows).toHaveLength(20)
      expect(plans.map((plan) => rowsOf(plan, 'contacts'))).toEqual([21])
      expect(plans.map((plan) => rowsOf(plan, 'contact_segments'))).toEqual([21])
    }
  })
})

describe('the contacts that a deleted segment still has', () => {
  it('are counted by index, and no more than are wanted', async () => {
    const explaining = openExplaining(testDatabase.superuserUrl, {
      indexes: {
        // By its id, or by its team and its id: both find one.
        'contacts left in a deleted segment': [
          'contact_segments_pkey',
          'contacts_pkey',
          'contacts_team_id_id_idx',
          'segments_pkey',
          'segments_team_id_id_idx',
        ],
      },
      rowsReadMax: 1_001,
    })
    const orphanedMembers = orphanedMemberRepository(explaining.database)
    const counts: number[] = []
    const { statements, problems } = await explaining.see(async () => {
      for (const [team, segment] of [
        [TEAM, EVERYBODY],
        [TEAM, OLDEST],
        [createId(), EVERYBODY],
        [TEAM, createId()],
      ] as const)
        counts.push(await orphanedMembers.countOfSegment(team, segment, 1_000))
    })
    await explaining.database.close()
    expect(counts).toEqual([1_001, 100, 0, 0])
    expect({ statements: new Set(statements), problems }).toEqual({
      statements: new Set(['contacts left in a deleted segment']),
      problems: [],
    })
  })
})

/** How many rows of a table a plan has read. */
const rowsOf = (node: PlanNode, table: string): number =>
  (node['Relation Name'] === table ? Math.round(node['Actual Rows'] * node['Actual Loops']) : 0) +
  (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each, table), 0)

describe('a filter that takes longer than it may', () => {
  const filter = { field: 'first_name', operator: 'is_set' } as const
  const segment = { id: createId(), filter }
  const ask: [what: string, ask: (members: ReturnType<typeof segmentMemberRepository>) => Promise<unknown>][] = [
    ['a page', (members) => members.list(TEAM, segment, { limit: 20, after: null, before: null })],
    ['one contact', (members) => members.isMember(TEAM, segment, middle)],
    ['a count', (members) => members.count(TEAM, segment)],
  ]
  it.each(ask)('is given up with a sentence: %s', async (_what, run) => {
    const members = segmentMemberRepository(database, { filterQueries: createBoundedQueries(database, { msMax: 200 }) })
    await database.transaction(async (inside) => {
      await inside('lock table contacts in access exclusive mode')
      await expect(run(members)).rejects.toThrow(
        new Failure(
          'validation',
          'The filter of this segment took longer than 0.2 seconds among so many contacts. Give it fewer rules, or put the contacts into a segment without a filter.',
        ),
      )
    })
    await until(async () => expect(await run(members)).toBeDefined())
  })
})
