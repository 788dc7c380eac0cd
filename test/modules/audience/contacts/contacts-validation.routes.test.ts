// Which contacts are refused, in which words, and that nothing is stored then.
import { beforeAll, describe, expect, it } from 'vitest'
import { invalid, outcome } from '../../../support/builders/answers.ts'
import {
  addSegment,
  addTopic,
  contactRecord,
  createContact,
  newAddress,
  readContact,
  segmentsOf,
} from '../../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let segment: string
let segmentWithFilter: string
let segmentOfOthers: string
let topic: string
let topicOfOthers: string

const service = shared(() => startTestService())
beforeAll(async () => {
  for (const [key, type] of [
    ['company', 'string'],
    ['age', 'number'],
  ])
    await service.call('POST', '/contact-properties', { body: { key, type } })
  const ofTeam = service.other.teamId
  await service.call('POST', '/contact-properties', { body: { key: 'theirs', type: 'string' }, token: service.other.token })
  segment = await addSegment(service)
  segmentWithFilter = await addSegment(service, { filter: {} })
  segmentOfOthers = await addSegment(service, { ofTeam })
  topic = await addTopic(service)
  topicOfOthers = await addTopic(service, { ofTeam })
})

const AUDIENCE_TABLES = ['contacts', 'contact_segments', 'contact_topics', 'opt_outs', 'topic_opt_outs', 'notifications']

async function stored(): Promise<unknown> {
  const counts = AUDIENCE_TABLES.map((table) => `(select count(*)::int from ${table}) as "${table}"`)
  return (await service.database.execute(`select ${counts.join(', ')}`))[0]
}

/** All fields that could be stored, to show that none is. */
const fields = (changes: Record<string, unknown>) => ({
  email: newAddress(),
  unsubscribed: true,
  segments: [segment],
  topics: [{ id: topic, subscription: 'opt_out' }],
  ...changes,
})

async function expectRefused(body: unknown, message: string): Promise<void> {
  const before = await stored()
  expect(outcome(await service.call('POST', '/contacts', { body }))).toEqual(invalid(message))
  expect(await stored()).toEqual(before)
}

const times = <Value>(count: number, make: (index: number) => Value): Value[] => Array.from({ length: count }, (_, index) => make(index))

describe('POST /contacts refuses', () => {
  it.each([
    ['no address', { email: undefined }, 'Missing `email` field.'],
    ['an address that is null', { email: null }, 'Missing `email` field.'],
    ['an address that is no text', { email: 5 }, 'The `email` field must be a string.'],
    ['a first name that is no text', { first_name: 5 }, 'The `first_name` field must be a string.'],
    ['a first name of 257 characters', { first_name: 'x'.repeat(257) }, 'The `first_name` field must have at most 256 characters.'],
    ['a last name of 257 characters', { last_name: 'x'.repeat(257) }, 'The `last_name` field must have at most 256 characters.'],
    ['a truth that is text', { unsubscribed: 'true' }, 'The `unsubscribed` field must be true or false.'],
    ['a truth that is a number', { unsubscribed: 1 }, 'The `unsubscribed` field must be true or false.'],
    [
      'a name with a NUL',
      { first_name: '\0' },
      'The `first_name` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.',
    ],
  ])('%s', async (_what, changes, message) => {
    await expectRefused(fields(changes), message)
  })

  it.each([
    ['a list', [], 'The `properties` field must be an object.'],
    ['a truth', { company: true }, 'The `properties.company` field must be a string or a number.'],
    ['an object', { age: {} }, 'The `properties.age` field must be a string or a number.'],
    ['a number for text', { company: 5 }, 'The `properties.company` field must be a string, like every value of this property.'],
    ['text for a number', { age: '5' }, 'The `properties.age` field must be a number, like every value of this property.'],
    ['a text of 1,001 characters', { company: 'x'.repeat(1_001) }, 'The `properties.company` field must have at most 1000 characters.'],
    [
      'an unknown key, also beside a known one',
      { company: 'Engines', Company: 'Engines' },
      'The `properties.Company` field is not a property of your contacts: create it first with POST /contact-properties.',
    ],
    [
      "another team's key",
      { theirs: 'x' },
      'The `properties.theirs` field is not a property of your contacts: create it first with POST /contact-properties.',
    ],
    [
      'a key as long as a body, of which it names the beginning',
      { ['k'.repeat(100_000)]: 'x' },
      `The \`properties.${'k'.repeat(60)}...\` field is not a property of your contacts: create it first with POST /contact-properties.`,
    ],
    [
      '201 values',
      Object.fromEntries(times(201, (index) => [`k${index}`, index])),
      'The `properties` field must have at most 200 entries.',
    ],
  ])('as properties: %s', async (_what, properties, message) => {
    await expectRefused(fields({ properties }), message)
  })

  it('a number that JSON can write and no one can keep', async () => {
    const body = JSON.stringify(fields({ properties: { age: 0 } })).replace('"age":0', '"age":1e999')
    await expectRefused(body, 'The `properties.age` field must be a number of at most 1.7976931348623157e+308.')
  })

  it.each([
    ['an id that is none', () => ['x'], 'The `segments[0]` field must be a UUID. It is "x".'],
    ['an object without id', () => [{}], 'Missing `segments[0].id` field.'],
    ['nothing', () => [null], 'The `segments[0]` field must be an object or a string.'],
    ['an unknown id', () => [{ id: UNKNOWN_ID }], 'The `segments[0]` field is not the id of one of your segments.'],
    ["another team's", () => [segment, { id: segmentOfOthers }], 'The `segments[1]` field is not the id of one of your segments.'],
    [
      'one with a filter',
      () => [segment, segmentWithFilter],
      'The `segments[1]` field names a segment with a filter, which selects its contacts. Name a segment without one.',
    ],
    ['501', () => times(501, () => segment), 'The `segments` field must have at most 500 entries.'],
    ['10,000', () => times(10_000, () => segment), 'The `segments` field must have at most 500 entries.'],
  ])('as segments: %s', async (_what, segments, message) => {
    await expectRefused(fields({ segments: segments() }), message)
  })

  it.each([
    ['an id that is none', () => 'x', 'The `audience_id` field must be a UUID. It is "x".'],
    ['an unknown id', () => UNKNOWN_ID, 'The `audience_id` field is not the id of one of your segments.'],
    ["another team's", () => segmentOfOthers, 'The `audience_id` field is not the id of one of your segments.'],
    [
      'one with a filter',
      () => segmentWithFilter,
      'The `audience_id` field names a segment with a filter, which selects its contacts. Name a segment without one.',
    ],
  ])('as audience: %s', async (_what, id, message) => {
    await expectRefused(fields({ audience_id: id() }), message)
  })

  const wanted = (id: string) => ({ id, subscription: 'opt_in' })
  it.each([
    ['no list', () => ({}), 'The `topics` field must be an array.'],
    ['an id alone', () => [topic], 'The `topics[0]` field must be an object.'],
    ['no choice', () => [{ id: topic }], 'Missing `topics[0].subscription` field.'],
    [
      'an unknown choice',
      () => [{ id: topic, subscription: 'in' }],
      'The `topics[0].subscription` field must be one of: `opt_in`, `opt_out`. It is "in".',
    ],
    ['an unknown id', () => [wanted(topic), wanted(UNKNOWN_ID)], 'The `topics[1].id` field is not the id of one of your topics.'],
    ["another team's", () => [wanted(topicOfOthers)], 'The `topics[0].id` field is not the id of one of your topics.'],
    [
      'one twice',
      () => [wanted(topic), { id: topic.toUpperCase(), subscription: 'opt_out' }],
      'The `topics[1].id` field names a topic more than once.',
    ],
    ['201', () => times(201, () => wanted(topic)), 'The `topics` field must have at most 200 entries.'],
  ])('as topics: %s', async (_what, topics, message) => {
    await expectRefused(fields({ topics: topics() }), message)
  })
})

describe('POST /contacts takes', () => {
  it('names of 256 characters, values of 1,000, and the largest numbers', async () => {
    const email = newAddress()
    const [first_name, last_name, company] = ['ä'.repeat(256), '', '👩‍🔬'.repeat(200)]
    for (const age of [0, -1.5, 1e21, Number.MAX_VALUE, Number.MIN_VALUE]) {
      const id = await createContact(service, { email, first_name, last_name, properties: { company, age } })
      expect(await readContact(service, id)).toEqual(
        contactRecord(id, email, {
          first_name,
          last_name,
          properties: { company: { value: company, type: 'string' }, age: { value: age, type: 'number' } },
        }),
      )
    }
  })

  it('500 segments and 200 topics', async () => {
    const segments = await Promise.all(times(500, () => addSegment(service)))
    const topics = await Promise.all(times(200, () => addTopic(service)))
    const id = await createContact(service, {
      email: newAddress(),
      segments: segments.map((id) => ({ id })),
      topics: topics.map((id) => ({ id, subscription: 'opt_out' })),
    })
    expect(await segmentsOf(service, id)).toEqual(segments.toSorted())
    expect(await service.database.execute('select from contact_topics where contact_id = $1', [id])).toHaveLength(200)
  })
})

describe('PATCH /contacts/:contact_id refuses', () => {
  it.each([
    ['null as the address', { email: null }, 'The `email` field must be a string. Leave it out to keep what is there.'],
    [
      'null as the subscription',
      { unsubscribed: null },
      'The `unsubscribed` field must be true or false. Leave it out to keep what is there.',
    ],
    ['null as properties', { properties: null }, 'The `properties` field must be an object. Leave it out to keep what is there.'],
    ['a body that is no object', [], 'The request body must be an object.'],
    ['an address that is none', { email: 'ada' }, 'The `email` field must be an address such as `name@example.com`. It is "ada".'],
    ['a name that is no text', { first_name: 5 }, 'The `first_name` field must be a string.'],
    [
      'an unknown key, although its value is null',
      { properties: { nope: null } },
      'The `properties.nope` field is not a property of your contacts: create it first with POST /contact-properties.',
    ],
    [
      'a value of the wrong type, beside one of the right',
      { properties: { company: 'Engines', age: 'x' } },
      'The `properties.age` field must be a number, like every value of this property.',
    ],
  ])('%s, and changes nothing', async (_what, body, message) => {
    const email = newAddress()
    const id = await createContact(service, { email })
    expect(outcome(await service.call('PATCH', `/contacts/${id}`, { body }))).toEqual(invalid(message))
    expect(await readContact(service, id)).toEqual(contactRecord(id, email))
  })
})
