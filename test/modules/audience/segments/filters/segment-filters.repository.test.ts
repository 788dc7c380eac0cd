// What a filter means, twice: as SQL over real rows, and as plain code over the same contacts.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoundedQueries } from '../../../../../src/db/bounded-queries.ts'
import type { Database } from '../../../../../src/db/database.ts'
import { createId } from '../../../../../src/lib/ids.ts'
import { SUBSCRIPTIONS } from '../../../../../src/modules/audience/audience-fields.ts'
import { mergeContacts } from '../../../../../src/modules/audience/contacts/merge-contacts.repository.ts'
import {
  isAll,
  isAny,
  isNot,
  NUMBER_OPERATORS,
  type StoredLeaf,
  type StoredRule,
  TEXT_FIELDS,
  TEXT_OPERATORS,
  TIME_OPERATORS,
} from '../../../../../src/modules/audience/segments/filters/segment-rules.ts'
import { segmentMemberRepository } from '../../../../../src/modules/audience/segments/segment-members.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../../../support/servers/postgres.ts'
import { openTestDatabase } from '../../../../support/servers/test-databases.ts'

type Subscription = (typeof SUBSCRIPTIONS)[number]
type Person = {
  id: string
  email: string
  first_name: string | null
  last_name: string | null
  unsubscribed: boolean
  createdAt: Date
  properties: Record<number, string | number>
  segments: Set<string>
  topics: Map<string, Subscription>
}

const TEAM = createId()
const OTHER_TEAM = createId()
const SEGMENTS = [createId(), createId()]
const TOPICS = [
  { topic: createId(), default: 'opt_in' },
  { topic: createId(), default: 'opt_out' },
] as const
const TEXT_PROPERTY = 7
const NUMBER_PROPERTY = 8
const PEOPLE = 120

/** Characters that patterns, quotation or case could get wrong. The last one is the kelvin sign, which is another capital k. */
const letter = fc.constantFrom('a', 'A', 'b', 'ä', 'Ä', 'É', '%', '_', '\\', "'", '"', '$1', '.', ' ', '\u00a0', 'i', 'I', 'k', '\u212a')
const text = fc.string({ unit: letter, maxLength: 4 })
const number = fc.constantFrom(-1.5, 0, 1, 2, 10, 9.5, 1e21, 1e-7)
const instant = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-01-03'), noInvalidDate: true })

let testDatabase: TestDatabase
let database: Database
let people: Person[]

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  const person = fc.record({
    first_name: fc.option(text),
    last_name: fc.option(text),
    unsubscribed: fc.boolean(),
    createdAt: instant,
    text: fc.option(text),
    number: fc.option(number),
    isIn: fc.tuple(fc.boolean(), fc.boolean()),
    chose: fc.tuple(fc.option(fc.constantFrom(...SUBSCRIPTIONS)), fc.option(fc.constantFrom(...SUBSCRIPTIONS))),
  })
  people = fc.sample(person, { numRuns: PEOPLE, seed: 4 }).map(({ text: word, number: figure, isIn, chose, ...fields }, index) => ({
    id: createId(),
    email: `${index % 2 ? 'a' : 'b'}${index}_x@example.com`,
    ...fields,
    properties: { ...(word !== null && { [TEXT_PROPERTY]: word }), ...(figure !== null && { [NUMBER_PROPERTY]: figure }) },
    segments: new Set(SEGMENTS.filter((_id, at) => isIn[at])),
    topics: new Map(TOPICS.flatMap(({ topic }, at) => (chose[at] == null ? [] : [[topic, chose[at]] as const]))),
  }))
  for (const one of people) await store(TEAM, one)
  // In the same segments, with the same values, and never found.
  for (const one of people.slice(0, 20)) await store(OTHER_TEAM, { ...one, id: createId() })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

async function store(teamId: string, one: Person): Promise<void> {
  const { execute } = database
  const { id, email, first_name: firstName, last_name: lastName, unsubscribed, properties } = one
  await mergeContacts(execute, [{ id, email, addressHash: email, firstName, lastName, unsubscribed, properties }], {
    teamId,
    onConflict: 'upsert',
    segmentIds: [],
    topics: [],
    now: one.createdAt,
  })
  for (const id of one.segments) await execute('insert into contact_segments values ($1, $2, now())', [id, one.id])
  for (const [id, subscription] of one.topics)
    await execute('insert into contact_topics values ($1, $2, $3, now())', [id, one.id, subscription])
}

const isSet = fc.constantFrom('is_set', 'is_not_set')
const textTest = fc.oneof(
  { weight: 5, arbitrary: fc.record({ operator: fc.constantFrom(...TEXT_OPERATORS.slice(0, 6)), value: text }) },
  { weight: 1, arbitrary: fc.record({ operator: isSet }) },
)
const leaf: fc.Arbitrary<StoredLeaf> = fc.oneof(
  fc.tuple(fc.constantFrom(...TEXT_FIELDS), textTest).map(([field, test]) => ({ field, ...test })),
  textTest.map((test) => ({ property: TEXT_PROPERTY, type: 'string' as const, ...test })),
  fc
    .oneof(fc.record({ operator: fc.constantFrom(...NUMBER_OPERATORS.slice(0, 6)), value: number }), fc.record({ operator: isSet }))
    .map((test) => ({ property: NUMBER_PROPERTY, type: 'number' as const, ...test })),
  fc.record({ field: fc.constant('unsubscribed' as const), operator: fc.constant('equals' as const), value: fc.boolean() }),
  fc.record({
    field: fc.constant('created_at' as const),
    operator: fc.constantFrom(...TIME_OPERATORS),
    value: instant.map((at) => at.toISOString()),
  }),
  fc.tuple(fc.constantFrom(...TOPICS), fc.constantFrom(...SUBSCRIPTIONS)).map(([topic, subscription]) => ({ ...topic, subscription })),
  fc.record({ segment: fc.constantFrom(...SEGMENTS), member: fc.boolean() }),
)
const { rule } = fc.letrec<{ rule: StoredRule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ all: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('rule') }),
  ),
}))

function holds(one: StoredRule, person: Person): boolean {
  if (isAll(one)) return one.all.every((each) => holds(each, person))
  if (isAny(one)) return one.any.some((each) => holds(each, person))
  if (isNot(one)) return !holds(one.not, person)
  if ('segment' in one) return person.segments.has(one.segment) === one.member
  if ('topic' in one) return (person.topics.get(one.topic) ?? one.default) === one.subscription
  if ('field' in one && one.field === 'unsubscribed') return person.unsubscribed === one.value
  if ('field' in one && one.field === 'created_at')
    return one.operator === 'before' ? person.createdAt < new Date(one.value) : person.createdAt > new Date(one.value)
  const found = 'field' in one ? person[one.field] : person.properties[one.property]
  return compares(one.operator, fold(found ?? null), fold(one.value ?? null))
}

const fold = (value: string | number | null) => (typeof value === 'string' ? value.toLowerCase() : value)

function compares(operator: string, found: string | number | null, wanted: string | number | null): boolean {
  if (operator === 'is_set') return found !== null && String(found).trim() !== ''
  if (operator === 'is_not_set') return !compares('is_set', found, wanted)
  if (operator === 'not_equals') return found !== wanted
  if (operator === 'not_contains') return !compares('contains', found, wanted)
  if (found === null || wanted === null) return false
  if (operator === 'equals') return found === wanted
  if (operator === 'contains') return String(found).includes(String(wanted))
  if (operator === 'starts_with') return String(found).startsWith(String(wanted))
  if (operator === 'ends_with') return String(found).endsWith(String(wanted))
  if (operator === 'greater_than') return found > wanted
  if (operator === 'greater_or_equal') return found >= wanted
  if (operator === 'less_than') return found < wanted
  if (operator === 'less_or_equal') return found <= wanted
  throw new Error(`No operator is called ${operator}`)
}

describe('a filter in SQL', () => {
  it.each([
    ['walked', PEOPLE],
    ['walked in part', 10],
  ])('finds just the contacts it describes, in every order and page, when the contacts are %s', async (_what, walkedMax) => {
    const members = segmentMemberRepository(database, { filterQueries: createBoundedQueries(database), walkedMax })
    await fc.assert(
      fc.asyncProperty(rule, fc.nat(PEOPLE), fc.integer({ min: 1, max: 30 }), async (filter, at, limit) => {
        const segment = { id: createId(), filter }
        const expected = people.filter((person) => holds(filter, person))
        const newestFirst = expected.map(({ id }) => id).toReversed()
        const cursor = people[at]?.id ?? createId()
        const older = newestFirst.filter((id) => id < cursor)
        const newer = newestFirst.filter((id) => id > cursor)

        const all = await members.list(TEAM, segment, { limit: PEOPLE, after: null, before: null })
        expect(all.rows.map(({ id }) => id)).toEqual(newestFirst)
        const after = await members.list(TEAM, segment, { limit, after: cursor, before: null })
        expect({ ids: after.rows.map(({ id }) => id), hasMore: after.hasMore }).toEqual({
          ids: older.slice(0, limit),
          hasMore: older.length > limit,
        })
        const before = await members.list(TEAM, segment, { limit, after: null, before: cursor })
        expect({ ids: before.rows.map(({ id }) => id), hasMore: before.hasMore }).toEqual({
          ids: newer.slice(-limit),
          hasMore: newer.length > limit,
        })
        const [one] = people.slice(at % PEOPLE)
        expect(await members.isMember(TEAM, segment, one?.id ?? '')).toBe(newestFirst.includes(one?.id ?? ''))
        expect(await members.count(TEAM, segment)).toEqual({
          contacts: expected.length,
          unsubscribed: expected.filter(({ unsubscribed }) => unsubscribed).length,
        })
      }),
      { numRuns: 150 },
    )
  })

  it('looks up many texts and numbers in one field, in groups of every kind', async () => {
    const values = [...people.slice(0, 20).map(({ last_name: name }) => name ?? 'x'), "it's", '%', '$1']
    const either = (field: 'email' | 'last_name') => values.map((value) => ({ field, operator: 'equals' as const, value }))
    const ofProperty = ['a', 'Ä', 'a_'].map((value) => ({
      property: TEXT_PROPERTY,
      type: 'string' as const,
      operator: 'equals' as const,
      value,
    }))
    const ofNumbers = [1, 9.5, 1e21, 77].map((value) => ({
      property: NUMBER_PROPERTY,
      type: 'number' as const,
      operator: 'equals' as const,
      value,
    }))
    const unset = { field: 'first_name', operator: 'is_not_set' } as const
    const [segment = ''] = SEGMENTS
    const filters: StoredRule[] = [
      { any: either('last_name') },
      { any: [...either('last_name'), ...ofProperty, ...either('email'), unset] },
      { not: { any: [...either('last_name'), { segment, member: true }] } },
      { all: [{ not: { any: ofProperty } }, { any: [unset, ...either('last_name')] }, { segment, member: false }] },
      { any: ofNumbers },
      { not: { any: [...ofNumbers, ...ofProperty, { segment, member: true }] } },
    ]
    for (const filter of filters) {
      const found = await segmentMemberRepository(database, { filterQueries: createBoundedQueries(database) }).list(
        TEAM,
        { id: createId(), filter },
        { limit: PEOPLE, after: null, before: null },
      )
      const expected = people.filter((person) => holds(filter, person)).map(({ id }) => id)
      expect(found.rows.map(({ id }) => id)).toEqual(expected.toReversed())
      expect(expected.length).toBeGreaterThan(0)
      expect(expected.length).toBeLessThan(PEOPLE)
    }
  })

  it('finds contacts who are in one of many segments, each once and in order, also after the walk', async () => {
    const members = segmentMemberRepository(database, { filterQueries: createBoundedQueries(database), walkedMax: 10 })
    const name = people.find(({ last_name: lastName }) => lastName)?.last_name ?? ''
    for (const more of [0, 20]) {
      const unknown = Array.from({ length: more }, () => ({ segment: createId(), member: true }))
      const known = SEGMENTS.map((segment) => ({ segment, member: true }))
      const filter: StoredRule = { any: [...unknown, ...known, { field: 'last_name', operator: 'equals', value: name }] }
      const { rows } = await members.list(TEAM, { id: createId(), filter }, { limit: PEOPLE, after: null, before: null })
      const expected = people.filter((person) => holds(filter, person)).map(({ id }) => id)
      expect(rows.map(({ id }) => id)).toEqual(expected.toReversed())
      expect(expected.length).toBeLessThan(PEOPLE)
    }
  })

  it('asks for more lists than are joined', async () => {
    const unknown = Array.from({ length: 30 }, () => ({ segment: createId(), member: true }))
    const [known = ''] = SEGMENTS
    const filter = {
      any: [...unknown, ...TOPICS.map((topic) => ({ ...topic, subscription: 'opt_out' as const })), { segment: known, member: true }],
    }
    const found = await segmentMemberRepository(database, { filterQueries: createBoundedQueries(database) }).count(TEAM, {
      id: createId(),
      filter,
    })
    expect(found.contacts).toBe(people.filter((person) => holds(filter, person)).length)
    expect(found.contacts).toBeLessThan(PEOPLE)
  })
})
