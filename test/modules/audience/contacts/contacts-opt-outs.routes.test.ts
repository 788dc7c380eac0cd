// What a person decided outlives the contact. Only that person or an update of that contact undoes it.
import { describe, expect, it } from 'vitest'
import { compose } from '../../../../src/compose.ts'
import { readConfig } from '../../../../src/config/config.ts'
import { createLog } from '../../../../src/io/log.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { TIMESTAMP } from '../../../support/builders/answers.ts'
import { addTopic, choicesOf, createContact, newAddress, readContact } from '../../../support/builders/contacts.ts'
import { logOf } from '../../../support/builders/request-logs.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

const FIRST_KEY = 'the first secret key of this installation'
const SECOND_KEY = 'the second secret key of this installation'

const service = shared(() => startTestService({ environment: { SECRET_KEY: FIRST_KEY } }))

const change = (reference: string, body: object) => service.call('PATCH', `/contacts/${reference}`, { body })
const remove = (reference: string) => service.call('DELETE', `/contacts/${reference}`)
const isUnsubscribed = async (reference: string) => (await readContact(service, reference)).unsubscribed

/** Rows of all teams that remember this address. */
async function remembered(email: string, teamId = service.teamId): Promise<{ all: number; topics: number }> {
  const [row] = await service.database.execute<{ all: number; topics: number }>(
    `select (select count(*)::int from opt_outs where address_hash = $1) as all, (select count(*)::int from topic_opt_outs where address_hash = $1) as topics`,
    [service.service.context.hashAddress(teamId, email)],
  )
  if (!row) throw new Error('A count came to nothing')
  return row
}

type Act = (email: string) => Promise<unknown>
const create =
  (fields: object = {}): Act =>
  (email) =>
    createContact(service, { email, ...fields })
const unsubscribe: Act = (email) => change(email, { unsubscribed: true })
const subscribe: Act = (email) => change(email, { unsubscribed: false })

describe('who unsubscribed', () => {
  it.each<[string, Act[], boolean]>([
    ['by an update', [create(), unsubscribe], true],
    ['when the contact was created', [create({ unsubscribed: true })], true],
    ['when the contact was created once more', [create(), create({ unsubscribed: true })], true],
    ['stays so when created again', [create(), unsubscribe, create()], true],
    ['stays so when created again as not unsubscribed', [create(), unsubscribe, create({ unsubscribed: false })], true],
    ['stays so when deleted and created again', [create(), unsubscribe, remove, create()], true],
    ['stays so when deleted and created as not unsubscribed', [create(), unsubscribe, remove, create({ unsubscribed: false })], true],
    ['stays so through two deletions', [create(), unsubscribe, remove, create(), remove, create()], true],
    ['stays so when deleted and created in upper case', [create(), unsubscribe, remove, (email) => create()(email.toUpperCase())], true],
    ['stays so through an update of something else', [create(), unsubscribe, (email) => change(email, { first_name: 'Ada' })], true],
    ['is subscribed again by an update', [create(), unsubscribe, subscribe], false],
    ['is subscribed again by an update after a deletion', [create(), unsubscribe, remove, create(), subscribe], false],
    ['and subscribed again is so for good', [create(), unsubscribe, subscribe, remove, create()], false],
    ['and subscribed again can unsubscribe again', [create(), unsubscribe, subscribe, unsubscribe, remove, create()], true],
    ['is never made of who did not', [create({ unsubscribed: false }), remove, create()], false],
  ])('%s', async (_what, acts, expected) => {
    const email = newAddress()
    for (const act of acts) await act(email)
    expect(await isUnsubscribed(email)).toBe(expected)
    expect(await remembered(email)).toEqual({ all: expected ? 1 : 0, topics: 0 })
  })

  it('is told of as unsubscribed when created again', async () => {
    const email = newAddress()
    for (const act of [create(), unsubscribe, remove, create()]) await act(email)
    const { id } = await readContact(service, email)
    const told = await service.database.execute(
      `select type, (data ->> 'unsubscribed')::boolean as unsubscribed from notifications where subject_id = $1`,
      [id],
    )
    expect(told).toEqual([{ type: 'contact.created', unsubscribed: true }])
  })

  it('of one team is subscribed to another', async () => {
    const email = newAddress()
    for (const act of [create(), unsubscribe, remove]) await act(email)
    const { token, teamId } = service.other
    await createContact(service, { email }, { token })
    expect((await readContact(service, email, { token })).unsubscribed).toBe(false)
    expect(await remembered(email, teamId)).toEqual({ all: 0, topics: 0 })
    expect(service.service.context.hashAddress(teamId, email)).not.toBe(service.service.context.hashAddress(service.teamId, email))
  })
})

describe('a contact that gets another address', () => {
  it('takes along that it unsubscribed, and the old address stays unsubscribed', async () => {
    const [from, to] = [newAddress(), newAddress()]
    for (const act of [create(), unsubscribe]) await act(from)
    await change(from, { email: to })
    expect(await isUnsubscribed(to)).toBe(true)
    await remove(to)
    for (const email of [from, to]) {
      await createContact(service, { email })
      expect(await isUnsubscribed(email)).toBe(true)
    }
  })

  it('is unsubscribed under an address that did', async () => {
    const [from, to] = [newAddress(), newAddress()]
    for (const act of [create(), unsubscribe, remove]) await act(to)
    await createContact(service, { email: from })
    await change(from, { email: to, unsubscribed: undefined })
    expect(await isUnsubscribed(to)).toBe(true)
  })

  it('stays unsubscribed under an address that unsubscribed, although the update says otherwise: it named another', async () => {
    const [from, to] = [newAddress(), newAddress()]
    for (const act of [create(), unsubscribe, remove]) await act(to)
    await createContact(service, { email: from })
    await change(from, { email: to, unsubscribed: false })
    expect(await isUnsubscribed(to)).toBe(true)
    expect(await remembered(to)).toEqual({ all: 1, topics: 0 })
    await change(to, { unsubscribed: false })
    expect(await isUnsubscribed(to)).toBe(false)
    expect(await remembered(to)).toEqual({ all: 0, topics: 0 })
  })

  it('takes its topics along, and finds those of the new address', async () => {
    const [from, to] = [newAddress(), newAddress()]
    const [taken, found, kept] = [await addTopic(service), await addTopic(service), await addTopic(service)]
    await createContact(service, { email: to, topics: [{ id: found, subscription: 'opt_out' }] })
    await remove(to)
    const id = await createContact(service, {
      email: from,
      topics: [
        { id: taken, subscription: 'opt_out' },
        { id: found, subscription: 'opt_in' },
        { id: kept, subscription: 'opt_in' },
      ],
    })
    await change(from, { email: to })

    expect(await choicesOf(service, id)).toEqual({ [taken]: 'opt_out', [found]: 'opt_out', [kept]: 'opt_in' })
    expect(await remembered(to)).toEqual({ all: 0, topics: 2 })
    const [told] = await service.database.execute(
      `select data from notifications where subject_id = $1 and type = 'contact.topics.updated' order by id desc limit 1`,
      [id],
    )
    expect(told).toEqual({ data: { email: to, topics: [{ id: found, subscription: 'opt_out' }] } })
  })
})

describe('who opted out of a topic', () => {
  const choose = (email: string, id: string, subscription: string) =>
    service.call('PATCH', `/contacts/${email}/topics`, { body: [{ id, subscription }] })

  it('stays out when created again, deleted or not, whatever the caller says', async () => {
    const email = newAddress()
    const [topic, other] = [await addTopic(service), await addTopic(service)]
    await createContact(service, { email, topics: [{ id: other, subscription: 'opt_in' }] })
    await choose(email, topic, 'opt_out')
    const again = {
      email,
      topics: [
        { id: topic, subscription: 'opt_in' },
        { id: other, subscription: 'opt_in' },
      ],
    }
    expect(await choicesOf(service, await createContact(service, again))).toEqual({ [topic]: 'opt_out', [other]: 'opt_in' })
    await remove(email)
    expect(await choicesOf(service, await createContact(service, again))).toEqual({ [topic]: 'opt_out', [other]: 'opt_in' })
    await remove(email)
    expect(await choicesOf(service, await createContact(service, { email }))).toEqual({ [topic]: 'opt_out' })
    expect(await remembered(email)).toEqual({ all: 0, topics: 1 })
  })

  it('is in again by an update, and for good', async () => {
    const email = newAddress()
    const topic = await addTopic(service)
    await createContact(service, { email, topics: [{ id: topic, subscription: 'opt_out' }] })
    await choose(email, topic, 'opt_in')
    expect(await remembered(email)).toEqual({ all: 0, topics: 0 })
    await remove(email)
    expect(await choicesOf(service, await createContact(service, { email }))).toEqual({})
  })

  it('of one team is not out of those of another', async () => {
    const email = newAddress()
    await createContact(service, { email, topics: [{ id: await addTopic(service), subscription: 'opt_out' }] })
    await remove(email)
    const theirs = await createContact(service, { email }, { token: service.other.token })
    expect(await choicesOf(service, theirs)).toEqual({})
  })
})

const AUDIENCE_TABLES = [
  'contacts',
  'contact_properties',
  'segments',
  'contact_segments',
  'topics',
  'contact_topics',
  'opt_outs',
  'topic_opt_outs',
  'contact_imports',
  'contact_import_refusals',
  'suppressions',
]

async function tablesWith(text: string): Promise<string[]> {
  const found = await Promise.all(
    AUDIENCE_TABLES.map(async (table) => {
      const rows = await service.database.execute(`select from ${table} t where strpos(lower(t::text), $1) > 0 limit 1`, [text])
      return rows.length > 0 ? [table] : []
    }),
  )
  return found.flat()
}

describe('the tables of the audience', () => {
  it('hold nothing of a deleted contact but the hashes of what its address opted out of', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'city', type: 'string' } })
    const [email, topic] = ['forgotten-7f3a@example.com', await addTopic(service)]
    const id = await createContact(service, {
      email,
      first_name: 'Forgotten-7f3a',
      last_name: 'Forgotten-7f3a',
      properties: { city: 'forgotten-7f3a' },
      unsubscribed: true,
      topics: [{ id: topic, subscription: 'opt_out' }],
    })
    expect(await tablesWith('forgotten-7f3a')).toEqual(['contacts'])
    expect(await tablesWith(id)).toEqual(['contacts', 'contact_topics'])

    await remove(email)

    expect(await tablesWith('forgotten-7f3a')).toEqual([])
    expect(await tablesWith(id)).toEqual([])
    expect(await remembered(email)).toEqual({ all: 1, topics: 1 })
  })
})

it('keeps what was sent in the request log, and nothing of an export, as the documentation says', async () => {
  const body = { email: newAddress(), first_name: 'Ada', unsubscribed: true }
  expect(await logOf(service, 'POST', '/contacts', { body })).toMatchObject({ endpoint: '/contacts', request_body: body })
  await service.database.execute(`insert into suppressions (id, team_id, email, origin, created_at) values ($1, $2, $3, 'manual', now())`, [
    createId(),
    service.teamId,
    body.email,
  ])
  const log = await logOf(service, 'GET', `/contacts/${body.email}/export`)
  expect({ endpoint: log.endpoint, response: log.response_body }).toEqual({
    endpoint: `/contacts/${body.email}/export`,
    response: {
      object: 'contact_export',
      exported_at: TIMESTAMP,
      contact: '[redacted]',
      updated_at: '[redacted]',
      segments: '[redacted]',
      topics: '[redacted]',
      opt_outs: '[redacted]',
      suppression: '[redacted]',
      emails: '[redacted]',
      has_more_emails: false,
      events: '[redacted]',
      has_more_events: false,
      sent_events: '[redacted]',
      has_more_sent_events: false,
      automation_runs: '[redacted]',
      has_more_automation_runs: false,
    },
  })
})

it('recognizes who opted out after SECRET_KEY has changed', async () => {
  const email = newAddress()
  const topic = await addTopic(service)
  const fields = { email, unsubscribed: true, topics: [{ id: topic, subscription: 'opt_out' }] }
  await createContact(service, fields)
  await remove(email)

  const { databaseUrl, dataDir } = service.config
  if (databaseUrl === null) throw new Error('The service of a test has a database of its own')
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    ROLES: 'api',
    LOG_LEVEL: 'silent',
    SECRET_KEY: SECOND_KEY,
    SECRET_KEY_PREVIOUS: FIRST_KEY,
  })
  const database = openTestDatabase(databaseUrl)
  const opened = { database, databaseUrl, close: () => database.close() }
  const restarted = await compose(config, opened, createLog(config), { publicUrl: 'http://localhost:3000' })
  try {
    const headers = { authorization: `Bearer ${service.token}` }
    await restarted.app?.inject({ method: 'POST', url: '/contacts', headers, payload: { email } })
    const answer = await restarted.app?.inject({ method: 'GET', url: `/contacts/${email}`, headers })
    const contact = answer?.json()
    expect(contact).toMatchObject({ email, unsubscribed: true })
    expect(await choicesOf(service, contact.id)).toEqual({ [topic]: 'opt_out' })
  } finally {
    await restarted.close()
  }
})
