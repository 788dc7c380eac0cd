// What a batch of an audience reads of the suppression list: the entries of its contacts and no others, however long the list is and whatever PostgreSQL
// knows of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database, Execute } from '../../../../src/db/database.ts'
import { createId, LOWEST_ID } from '../../../../src/lib/ids.ts'
import { isDecided } from '../../../../src/modules/audience/contacts/opt-outs.repository.ts'
import { nextStretch } from '../../../../src/modules/audience/segments/audience.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { keepStatistics } from '../../../support/servers/statements.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

const CONTACTS = 4_096
const BATCH = 512
/** A quarter of the contacts, also of each batch and of the few. */
const IS_SUPPRESSED = 'n % 32 < 8'
const SUPPRESSED_IN_BATCH = BATCH / 4
/** As few as are looked up one by one, and a batch of them. */
const IS_OF_FEW = 'n % 8 = 1'
const EVERYBODY = createId()
const FEW = createId()
const TOPIC = { id: createId(), defaultSubscription: 'opt_in' } as const

type PlanNode = {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

type Lookup = { index: string | undefined; rowsRead: number; rowsReadInVain: number }

type Batch = { segment: string; topic: typeof TOPIC | null; suppressed: 'marked' | 'left out' }

/** After which of its steps the tables are analyzed. */
const STEPS = ['nothing', 'contacts', 'suppressions'] as const
const KNOWLEDGE: [what: string, analyzed: (typeof STEPS)[number][]][] = [
  ['no table', []],
  ['empty tables', ['nothing']],
  ['contacts, and an empty list', ['contacts']],
  ['all rows', ['suppressions']],
]

describe.each(KNOWLEDGE)('with statistics of %s', (_what, analyzed) => {
  const team = createId()
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = openTestDatabase(testDatabase.url, { connectionsMax: 1 })
    await keepStatistics(database, /^(contacts|contact_segments|contact_topics|suppressions|opt_outs)$/)
    for (const step of STEPS) {
      await fill(database.execute, team, step)
      if (analyzed.includes(step)) await database.execute('analyze')
    }
  })
  afterAll(async () => {
    await database.close()
    await testDatabase.drop()
  })

  const batches: Batch[] = [EVERYBODY, FEW].flatMap((segment) =>
    [null, TOPIC].flatMap((topic) => (['marked', 'left out'] as const).map((suppressed) => ({ segment, topic, suppressed }))),
  )
  const named = batches.map((batch): [string, Batch] => [
    `${batch.segment === FEW ? 'few' : 'everybody'}${batch.topic ? ' with a topic' : ''}, suppressed ones ${batch.suppressed}`,
    batch,
  ])
  it.each(named)('a batch looks each contact up: %s', async (_batch, batch) => {
    expect(await readBatch(database, team, batch)).toEqual({
      contacts: batch.suppressed === 'marked' ? BATCH : BATCH - SUPPRESSED_IN_BATCH,
      lookups: [aLookup(SUPPRESSED_IN_BATCH)],
    })
  })

  it('no entry is looked up to tell whether a decision changes anything', async () => {
    const plans: PlanNode[] = []
    const explaining: Execute = async (sql, values) => {
      plans.push(await planOf(database.execute, String(sql), values))
      return database.execute(sql, values)
    }
    // A suppression is not lifted by a choice of the person.
    expect(await isDecided(explaining, team, hashOf(SUPPRESSED_CONTACT), { unsubscribed: false, topics: [] })).toBe(true)
    expect(plans.map(lookupsOf)).toEqual([[]])
  })
})

const SUPPRESSED_CONTACT = 4
const hashOf = (number: number): string => `hash of ${number}`

async function fill(execute: Execute, team: string, step: (typeof STEPS)[number]): Promise<void> {
  if (step === 'contacts') {
    await execute(
      `insert into contacts (id, team_id, email, address_hash, created_at, updated_at)
       select ${contactId}, $1, 'person' || n || '@example.com', 'hash of ' || n, now(), now() from generate_series(1, $2::int) n`,
      [team, CONTACTS],
    )
    for (const [segment, isMember] of [
      [EVERYBODY, 'true'],
      [FEW, IS_OF_FEW],
    ])
      await execute(`insert into contact_segments select $1, ${contactId}, now() from generate_series(1, $2::int) n where ${isMember}`, [
        segment,
        CONTACTS,
      ])
  }
  if (step === 'suppressions')
    await execute(
      `insert into suppressions (id, team_id, email, origin, created_at)
       select uuidv7_at(now(), n), $1, 'person' || n || '@example.com', 'complaint', now() from generate_series(1, $2::int) n where ${IS_SUPPRESSED}`,
      [team, CONTACTS],
    )
}

const contactId = `('0193a5c2-7d4e-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`

function readBatch(database: Database, team: string, { segment, topic, suppressed }: Batch) {
  return database.transaction(async (inside) => {
    await inside('set transaction isolation level repeatable read')
    const audience = { segment: { id: segment, filter: null }, topic, after: LOWEST_ID }
    const stretch = await nextStretch(inside, team, audience, { contactsMax: BATCH, suppressed })
    if (!stretch) throw new Error('The segment has contacts')
    const plan = await planOf(inside, stretch.text, stretch.values)
    return { contacts: plan['Actual Rows'], lookups: lookupsOf(plan) }
  })
}

async function planOf(execute: Execute, sql: string, values: unknown[] = []): Promise<PlanNode> {
  const [row] = await execute<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) ${sql}`, values)
  if (!row) throw new Error('A statement has a plan')
  return row['QUERY PLAN'][0].Plan
}

/** How a plan reads the suppression list. */
const lookupsOf = (node: PlanNode): Lookup[] => [
  ...(node['Relation Name'] === 'suppressions'
    ? [
        {
          index: node['Index Name'],
          rowsRead: Math.round(node['Actual Loops'] * node['Actual Rows']),
          rowsReadInVain: node['Actual Loops'] * ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)),
        },
      ]
    : []),
  ...(node.Plans ?? []).flatMap(lookupsOf),
]

const aLookup = (rowsRead: number): Lookup => ({ index: 'suppressions_team_id_email_key', rowsRead, rowsReadInVain: 0 })
