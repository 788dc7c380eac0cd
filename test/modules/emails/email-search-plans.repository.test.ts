// A search in the console reads a bounded number of emails by an index, whatever is sought and however many emails there are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmailSearches } from '../../../src/db/bounded-queries.ts'
import type { Database, Execute } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { emailLineRepository } from '../../../src/modules/emails/email-searches.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openExplaining } from '../../support/servers/statements.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const TEAM = createId()
const EMAILS = 200_000
/** One email in so many is to the same address. */
const EVERY = 50
const SEARCHED_MAX = 1_000
/** One email in so many belongs to the broadcast. */
const EVERY_OF_BROADCAST = 20
const BROADCAST = createId()
const TEMPLATE = createId()
/** Each email, and its recipient where the address is sought; one more shows that there are more. The ids of recipients are a little later. */
const ROWS_READ_MAX = 2 * (SEARCHED_MAX + 1) + 60

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  await database.execute(
    `with sent as (
       insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", subject, broadcast_id, template_id, created_at)
       select uuidv7_at('2001-02-03T00:00Z'::timestamptz + n * interval '1 second', n), $1, $1, 'queued', 'delivered', 'example.com', 'a@example.com', '{x@example.com}', 'Email ' || n, case when n % $4::int = 0 then $5::uuid end, case when n % $4::int = 1 then $6::uuid end,
         '2001-02-03T00:00Z'::timestamptz + n * interval '1 second' from generate_series(1, $2::int) n
       returning id, created_at, substr(subject, 7)::int as n)
     insert into recipients (id, team_id, email_id, address, state)
     select uuidv7_at(created_at + interval '3 milliseconds', n), $1, id, case when n % $3::int = 0 then 'many@example.com' else 'other-' || n || '@example.com' end, 'delivered' from sent`,
    [TEAM, EMAILS, EVERY, EVERY_OF_BROADCAST, BROADCAST, TEMPLATE],
  )
  await database.execute(
    `insert into recipients (id, team_id, email_id, address, state)
     select uuidv7_at('2001-02-03T00:00Z'::timestamptz + n * interval '1 second', n), case when n = 1 then $1 else $2 end::uuid, gen_random_uuid(), 'theirs@example.com', 'delivered'
       from generate_series(1, 20000) n`,
    [TEAM, createId()],
  )
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const ANY = {
  words: null,
  state: null,
  to: null,
  broadcast: null,
  domain: null,
  tag: null,
  since: null,
  until: null,
  after: null,
  limit: 50,
}
const MIDDLE = new Date('2001-02-04T00:00Z')

describe.each(['without', 'with'])('%s statistics', (what) => {
  beforeAll(() => database.execute(what === 'with' ? 'analyze emails, recipients' : 'select'))

  it.each<[string, Partial<typeof ANY> | object]>([
    ['words', { words: 'nothing like it' }],
    ['a state', { state: 'complained' }],
    ['a domain', { domain: 'example.net' }],
    ['a tag', { tag: { name: 'kind', value: 'receipt' } }],
    ['days', { until: MIDDLE, state: 'complained' }],
    ['an address', { to: 'many@example.com', state: 'complained' }],
    ['an address and days', { to: 'many@example.com', until: MIDDLE, words: 'nothing' }],
    ['a broadcast', { broadcast: BROADCAST, state: 'complained' }],
    ['a broadcast and days', { broadcast: BROADCAST, until: MIDDLE, words: 'nothing' }],
    ['an address and a broadcast', { to: 'many@example.com', broadcast: BROADCAST, state: 'complained' }],
    ['a broadcast without emails', { broadcast: TEAM }],
    ['a template', { template: TEMPLATE, state: 'complained' }],
    ['a template and days', { template: TEMPLATE, until: MIDDLE, words: 'nothing' }],
    ['an address and a template', { to: 'many@example.com', template: TEMPLATE, state: 'complained' }],
    ['an address that another team mails more often', { to: 'theirs@example.com' }],
    ['a rare address', { to: 'other-1@example.com' }],
  ])('reads few rows for %s', async (_what, sought) => {
    const plans: PlanNode[] = []
    const explain =
      (inside: Execute): Execute =>
      async (sql, values) => {
        if (String(sql).startsWith('set')) return inside(sql, values)
        const [row] = await inside<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) ${String(sql)}`, values)
        if (row) plans.push(row['QUERY PLAN'][0].Plan)
        return inside(sql, values)
      }
    const explaining = {
      execute: explain(database.execute),
      transaction: <Result>(work: (inside: Execute) => Promise<Result>) => database.transaction((execute) => work(explain(execute))),
    }
    const lines = emailLineRepository(database, { searches: createEmailSearches(explaining, { msMax: 20_000 }), searchedMax: SEARCHED_MAX })
    await lines.search(TEAM, { ...ANY, ...sought })
    expect(plans).toHaveLength(2)
    for (const plan of plans)
      expect({ isBounded: rowsRead(plan) <= ROWS_READ_MAX, rows: rowsRead(plan) }).toMatchObject({ isBounded: true })
  })

  it('reads the newest of a template by their index', async () => {
    const name = 'emails of a template'
    const explaining = openExplaining(testDatabase.superuserUrl, { indexes: { [name]: ['emails_template_idx'] }, rowsReadMax: 21 })
    const lines = emailLineRepository(explaining.database, { searches: createEmailSearches(explaining.database) })
    const subjects: string[] = []
    const { statements, problems } = await explaining.see(async () => {
      const { rows, hasMore } = await lines.ofTemplate(TEAM, TEMPLATE, 20)
      subjects.push(...rows.map(({ subject }) => subject), String(hasMore))
    })
    await explaining.database.close()
    expect({ statements, problems }).toEqual({ statements: [name], problems: [] })
    const newest = EMAILS - EVERY_OF_BROADCAST + 1
    expect(subjects).toEqual([...Array.from({ length: 20 }, (_, index) => `Email ${newest - EVERY_OF_BROADCAST * index}`), 'true'])
  })

  it('finds what is old among all emails by its address, and by its day', async () => {
    const lines = emailLineRepository(database, { searches: createEmailSearches(database), searchedMax: SEARCHED_MAX })
    const byAddress = await lines.search(TEAM, { ...ANY, to: 'other-1@example.com' })
    const byDay = await lines.search(TEAM, { ...ANY, words: 'Email 7', until: new Date('2001-02-03T00:01Z') })
    expect([byAddress.rows.map(({ subject }) => subject), byDay.rows.map(({ subject }) => subject)]).toEqual([['Email 1'], ['Email 7']])
  })

  it('pages through all emails to an address', async () => {
    const lines = emailLineRepository(database, { searches: createEmailSearches(database), searchedMax: SEARCHED_MAX })
    const sought = { ...ANY, to: 'many@example.com', limit: 400 }
    const seen: string[] = []
    let after: string | null = null
    for (let pages = 0; pages < 4; pages += 1) {
      const { rows, next } = await lines.search(TEAM, { ...sought, after })
      seen.push(...rows.map(({ subject }) => subject))
      after = next?.after ?? null
    }
    expect(seen).toEqual(Array.from({ length: 1_600 }, (_, index) => `Email ${EMAILS - EVERY * index}`))
  })
})

type PlanNode = {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** Rows that were read of tables, also in vain. What a filter of the outer query removes was read by the walk. */
const rowsRead = (node: PlanNode): number =>
  (node['Relation Name'] === undefined ? 0 : node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0))) +
  (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), 0)
