import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/db/database.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { type Audience, type AudienceContact, audienceRepository } from '../../../../src/modules/audience/segments/audience.repository.ts'
import type { StoredRule } from '../../../../src/modules/audience/segments/filters/segment-rules.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

const TEAM = createId()
const OTHER_TEAM = createId()
const DENSE = createId()
const SPARSE = createId()
const EMPTY = createId()
const NEWS = { id: createId(), defaultSubscription: 'opt_in' } as const
const SPECIAL = { id: createId(), defaultSubscription: 'opt_out' } as const
const CONTACTS = 200
const SCORE = 3

type Person = {
  id: string
  email: string
  unsubscribed: boolean
  isSuppressed: boolean
  score: number
  lists: string[]
  chose: Map<string, 'opt_in' | 'opt_out'>
}

/** Every combination turns up: the numbers have no common divisor. */
const people: Person[] = Array.from({ length: CONTACTS }, (_, index) => ({
  id: createId(),
  email: `person${index}@example.com`,
  unsubscribed: index % 5 === 0,
  isSuppressed: index % 7 === 0,
  score: index % 11,
  lists: [...(index % 3 ? [DENSE] : []), ...(index % 13 === 1 ? [SPARSE] : [])],
  chose: new Map([
    ...(index % 4 < 2 ? [[NEWS.id, index % 4 ? 'opt_in' : 'opt_out'] as const] : []),
    ...(index % 9 < 6 ? [[SPECIAL.id, index % 9 < 4 ? 'opt_in' : 'opt_out'] as const] : []),
  ]),
}))

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url, { connectionsMax: 2 })
  const { execute } = database
  const insert = (teamId: string, { id, email, unsubscribed, score }: Omit<Person, 'lists' | 'chose' | 'isSuppressed'>) =>
    execute(
      `insert into contacts (id, team_id, email, address_hash, first_name, unsubscribed, properties, created_at, updated_at)
       values ($1, $2, $3, md5($3), 'Ada', $4, $5::jsonb, now(), now())`,
      [id, teamId, email, unsubscribed, JSON.stringify({ [SCORE]: score })],
    )
  const suppress = (teamId: string, email: string) =>
    execute(`insert into suppressions (id, team_id, email, origin, created_at) values ($1, $2, $3, 'bounce', now())`, [
      createId(),
      teamId,
      email,
    ])
  for (const person of people) {
    await insert(TEAM, person)
    // Between those of the team, in the same lists, and never found.
    const stranger = { ...person, id: createId(), unsubscribed: false }
    await insert(OTHER_TEAM, stranger)
    for (const id of person.lists) await execute('insert into contact_segments values ($1, $2, now())', [id, stranger.id])
    if (person.isSuppressed) await suppress(TEAM, person.email)
    else await suppress(OTHER_TEAM, person.email)
    for (const id of person.lists) await execute('insert into contact_segments values ($1, $2, now())', [id, person.id])
    for (const [id, choice] of person.chose) await execute('insert into contact_topics values ($1, $2, $3, now())', [id, person.id, choice])
  }
  await execute('analyze')
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const isFree = ({ unsubscribed, isSuppressed }: Person) => !unsubscribed && !isSuppressed
const listed = (id: string) => ({ segment: { id, filter: null }, topic: null })
const filtered = (filter: StoredRule) => ({ segment: { id: createId(), filter }, topic: null })
const scoreAbove = { property: SCORE, type: 'number', operator: 'greater_than', value: 5 } as const
const wants = (topic: Audience['topic'] & object) => (person: Person) =>
  (person.chose.get(topic.id) ?? topic.defaultSubscription) === 'opt_in'

async function allOf(batchSize: number, audience: Audience): Promise<AudienceContact[]> {
  const found: AudienceContact[] = []
  for await (const { contacts } of audienceRepository(database, { batchSize }).resolve(TEAM, audience)) found.push(...contacts)
  return found
}

describe('the audience of a broadcast', () => {
  const cases: [what: string, audience: Audience, isIn: (person: Person) => boolean][] = [
    ['of a segment', listed(DENSE), ({ lists }) => lists.includes(DENSE)],
    ['of a segment with few contacts', listed(SPARSE), ({ lists }) => lists.includes(SPARSE)],
    ['of an empty segment', listed(EMPTY), () => false],
    ['of a filter', filtered(scoreAbove), ({ score }) => score > 5],
    ['of a filter that no one matches', filtered({ all: [scoreAbove, { not: scoreAbove }] }), () => false],
    [
      'of a filter that asks for lists',
      filtered({
        all: [
          { segment: DENSE, member: true },
          { segment: SPARSE, member: false },
          { topic: SPECIAL.id, subscription: 'opt_out', default: 'opt_out' },
        ],
      }),
      (person) => person.lists.includes(DENSE) && !person.lists.includes(SPARSE) && !wants(SPECIAL)(person),
    ],
    [
      'that a topic reaches unless they opted out',
      { ...listed(DENSE), topic: NEWS },
      (person) => person.lists.includes(DENSE) && wants(NEWS)(person),
    ],
    [
      'that a topic reaches only who opted in',
      { ...listed(DENSE), topic: SPECIAL },
      (person) => person.lists.includes(DENSE) && wants(SPECIAL)(person),
    ],
    ['of few contacts, with a topic', { ...listed(SPARSE), topic: NEWS }, (person) => person.lists.includes(SPARSE) && wants(NEWS)(person)],
    ['of a filter, with a topic', { ...filtered(scoreAbove), topic: SPECIAL }, (person) => person.score > 5 && wants(SPECIAL)(person)],
  ]

  it.each(cases)(
    '%s is everyone who is neither unsubscribed nor suppressed, oldest first, in batches of any size',
    async (_what, audience, isIn) => {
      const expected = people.filter((person) => isFree(person) && isIn(person))
      const contacts = expected.map(({ id, email, score }) => ({
        id,
        email,
        firstName: 'Ada',
        lastName: null,
        properties: { [SCORE]: score },
      }))
      for (const batchSize of [1, 7, 1_000]) expect(await allOf(batchSize, audience)).toEqual(contacts)
    },
  )

  it.each(cases)('%s comes in batches no larger than asked for, and continues after any of them', async (_what, audience, isIn) => {
    const expected = people.filter((person) => isFree(person) && isIn(person)).map(({ id }) => id)
    const before: string[] = []
    for await (const { contacts, through } of audienceRepository(database, { batchSize: 40 }).resolve(TEAM, audience)) {
      expect(contacts.length).toBeLessThanOrEqual(40)
      before.push(...contacts.map(({ id }) => id))
      expect(contacts.every(({ id }) => id <= through)).toBe(true)
      const rest = await allOf(50, { ...audience, after: through })
      expect([...before, ...rest.map(({ id }) => id)]).toEqual(expected)
    }
    expect(before).toEqual(expected)
  })

  it('holds no connection while the caller has a batch, and none when the caller takes no more', async () => {
    for await (const { through } of audienceRepository(database, { batchSize: 5 }).resolve(TEAM, listed(DENSE))) {
      // The next batch has been read ahead.
      await expect.poll(() => database.pool.idleCount === database.pool.totalCount && database.pool.waitingCount === 0).toBe(true)
      if (through > (people[CONTACTS / 2]?.id ?? '')) break
    }
    await expect.poll(() => database.pool.idleCount === database.pool.totalCount).toBe(true)
    expect(
      await database.execute("select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'"),
    ).toEqual([])
  })
})
