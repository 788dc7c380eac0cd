// A large audience: who is in what is spread evenly, except for the oldest hundredth.

import { openDatabase } from '../src/db/database.ts'
import { createId } from '../src/lib/ids.ts'
import { type ContactToMerge, mergeContacts } from '../src/modules/audience/contacts/merge-contacts.repository.ts'
import { query } from './place.ts'

export const TEAM = '00000000-0000-7000-8000-000000000001'
/** Segments and a topic. */
export const LISTS = {
  everybody: '00000000-0000-7000-8000-000000000101',
  tenth: '00000000-0000-7000-8000-000000000102',
  oldest: '00000000-0000-7000-8000-000000000103',
  news: '00000000-0000-7000-8000-000000000201',
} as const
/** The properties, by their numbers. */
export const PROPERTIES = { plan: 1, company: 2, score: 3, since: 4 } as const

const BATCH = 5_000

export async function fillAudience(databaseUrl: string, count: number): Promise<void> {
  const database = openDatabase({ databaseUrl, onError: () => {} })
  for (let from = 1; from <= count; from += BATCH) {
    const contacts = Array.from({ length: Math.min(BATCH, count - from + 1) }, (_, at) => contactOf(from + at, count))
    await mergeContacts(database.execute, contacts, { teamId: TEAM, onConflict: 'upsert', segmentIds: [], topics: [], now: new Date() })
  }
  await database.close()
  await addToLists(databaseUrl, count)
  await query(databaseUrl, 'vacuum analyze')
}

function contactOf(number: number, count: number): ContactToMerge {
  const email = `customer${number}@example${number % 50}.com`
  return {
    id: createId(),
    email,
    addressHash: email,
    firstName: number % 10 < 8 ? (['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan'][number % 5] ?? null) : null,
    lastName: `Name ${number % 5_000}`,
    unsubscribed: scattered(number, 20) === 0,
    properties: {
      [PROPERTIES.plan]: ['free', 'pro', 'enterprise'][number % 3] ?? '',
      [PROPERTIES.company]: `Company ${number % 1_000}`,
      [PROPERTIES.score]: scattered(number, 1_000),
      [PROPERTIES.since]: number <= count / 100 ? 'veteran' : 'newcomer',
    },
  }
}

async function addToLists(databaseUrl: string, count: number): Promise<void> {
  const numbered = '(select id, email, (row_number() over (order by id))::int as i from contacts) numbered'
  const members = (segmentId: string, condition: string) =>
    query(databaseUrl, `insert into contact_segments select '${segmentId}', id, now() from ${numbered} where ${condition}`)
  await members(LISTS.everybody, 'true')
  await members(LISTS.tenth, `${spread(10)} = 1`)
  await members(LISTS.oldest, `i <= ${count / 100}`)
  await query(
    databaseUrl,
    `insert into contact_topics select '${LISTS.news}', id, case when ${spread(9)} < 2 then 'opt_out' else 'opt_in' end, now() from ${numbered} where i % 3 = 0`,
  )
  await query(
    databaseUrl,
    `insert into suppressions (id, team_id, email, origin, created_at) select uuidv7(), '${TEAM}', email, 'bounce', now() from ${numbered} where ${spread(33)} = 2`,
  )
}

/** A number below `below` that follows no order of the contacts. */
const scattered = (number: number, below: number): number => (Math.imul(number, 0x9e3779b1) >>> 8) % below

/** Spreads values in SQL, by `i`. */
const spread = (below: number) => `abs(hashint4(i)::bigint) % ${below}`
