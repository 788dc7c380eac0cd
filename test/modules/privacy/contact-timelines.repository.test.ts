// A timeline and a search read a bounded number of rows, however much a person got and however many contacts there are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmailSearches } from '../../../src/db/bounded-queries.ts'
import type { Database, Execute } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { contactSearchRepository } from '../../../src/modules/audience/contacts/contact-rows.repository.ts'
import { contactTimelineRepository } from '../../../src/modules/privacy/contact-timelines.repository.ts'
import { TIMELINE_PARTS } from '../../../src/modules/privacy/contact-timelines.schema.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const TEAM = createId()
const CONTACT = createId()
const EMAILS = 100_000
/** One email in so many is to the person. */
const EVERY = 20
const PAGE = 31
/** The emails in which acts are looked for, each with a look at as many acts as a page has; and the other parts. */
const ROWS_READ_MAX = 100 * PAGE + 10 * PAGE

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  const { execute } = database
  const [day] = await execute<{ at: Date }>('select now() as at')
  await execute(
    `with sent as (
       insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", subject, created_at)
       select uuidv7_at($4::timestamptz, n), $1, $1, 'queued', 'opened', 'example.com', 'a@example.com', '{}', 'Email ' || n, $4 from generate_series(1, $2::int) n
       returning id, substr(subject, 7)::int as n)
     insert into recipients (id, team_id, email_id, address, state)
     select uuidv7_at($4::timestamptz, n + $2::int), $1, id, case when n % $3::int = 0 then 'many@example.com' else 'other-' || n || '@example.com' end, 'opened' from sent`,
    [TEAM, EMAILS, EVERY, day?.at],
  )
  await execute(
    `insert into notifications (id, team_id, type, subject_id, data, created_at)
     select uuidv7_at($2::timestamptz, row_number() over () + 300000), $1, 'email.opened', r.email_id, '{"to": ["many@example.com"]}', $2
       from recipients r, generate_series(1, 4) where r.address = 'many@example.com'`,
    [TEAM, day?.at],
  )
  await execute(
    `insert into contacts (id, team_id, email, address_hash, unsubscribed, properties, created_at, updated_at)
     select uuidv7_at($2::timestamptz, n), $1, 'person-' || n || '@example.com', 'h' || n, false, '{}', $2, $2 from generate_series(1, ${EMAILS}) n`,
    [TEAM, day?.at],
  )
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

/** The plan of the last statement of some work. */
async function planOf(work: (explaining: Pick<Database, 'execute' | 'transaction'>) => Promise<unknown>): Promise<PlanNode> {
  const plans: PlanNode[] = []
  const explain =
    (inside: Execute): Execute =>
    async (sql, values) => {
      if (String(sql).startsWith('set')) return inside(sql, values)
      const [row] = await inside<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) ${String(sql)}`, values)
      if (row) plans.push(row['QUERY PLAN'][0].Plan)
      return inside(sql, values)
    }
  await work({ execute: explain(database.execute), transaction: (inside) => database.transaction((execute) => inside(explain(execute))) })
  const plan = plans.at(-1)
  if (!plan) throw new Error('No plan')
  return plan
}

describe.each(['without', 'with'])('%s statistics', (what) => {
  beforeAll(() => database.execute(what === 'with' ? 'analyze emails, recipients, notifications, contacts' : 'select'))

  it.each([null, 'middle'])('a timeline is read by indexes, a page of each part, after %s', async (place) => {
    const after = place === null ? null : await middleOfTimeline()
    const plan = await planOf(async (explaining) => {
      const page = await contactTimelineRepository(explaining).read(TEAM, {
        ...{ contactId: CONTACT, email: 'many@example.com', parts: TIMELINE_PARTS, after, limit: PAGE - 1 },
      })
      expect(page).toMatchObject({ rows: { length: PAGE - 1 }, hasMore: true })
    })
    expect({ isBounded: rowsRead(plan) <= ROWS_READ_MAX, whole: wholeTables(plan) }).toEqual({ isBounded: true, whole: [] })
  })

  it('a search reads as many contacts as it may, by the index of the team', async () => {
    const plan = await planOf((explaining) =>
      contactSearchRepository(database, { searches: createEmailSearches(explaining, { msMax: 20_000 }) }).search(TEAM, {
        ...{ words: 'nothing', part: 'nothing', after: null, limit: 50 },
      }),
    )
    expect({ isBounded: rowsRead(plan) <= 20_001, whole: wholeTables(plan) }).toEqual({ isBounded: true, whole: [] })
  })
})

const middleOfTimeline = async (): Promise<string> => {
  const [row] = await database.execute<{ id: string }>('select id from recipients order by id offset $1 limit 1', [EMAILS / 2])
  return row?.id ?? ''
}

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
const ran = (node: PlanNode): boolean => node['Actual Loops'] > 0

/** Rows that were read of tables, also in vain. */
const rowsRead = (plan: PlanNode): number =>
  nodesOf(plan)
    .filter((node) => ran(node) && node['Relation Name'] !== undefined)
    .reduce((sum, node) => sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)), 0)

/** Large tables that were read from end to end. */
const wholeTables = (plan: PlanNode): (string | undefined)[] =>
  nodesOf(plan)
    .filter((node) => ran(node) && node['Node Type'] === 'Seq Scan' && node['Actual Rows'] > 1_000)
    .map((node) => node['Relation Name'])
