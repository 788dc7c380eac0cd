import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { failure, invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { createEvent } from '../../support/builders/automations.ts'
import { createContact, newAddress } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend
let contact: string

const service = shared(() => startTestService())
beforeAll(async () => {
  resend = new Resend(service.token, { baseUrl: service.url })
  contact = await createContact(service, { email: newAddress() })
  await createEvent(service, { name: 'typed', schema: { text: 'string', amount: 'number', isGift: 'boolean', due: 'date', '0': 'string' } })
})

const send = (body: unknown, options: { key?: string; token?: string; path?: string } = {}) =>
  service.call('POST', options.path ?? '/events/send', {
    body,
    ...(options.token && { token: options.token }),
    ...(options.key && { headers: { 'idempotency-key': options.key } }),
  })

const sendBatch = (body: unknown, options: { key?: string } = {}) => send(body, { ...options, path: '/events/send/batch' })

const UNKNOWN = invalid('The `contact_id` field is not the id of one of your contacts.')

const accepted = (event: string) => ({ status: 202, body: { object: 'event', event } })

const sentItem = (event: string, payload: object = {}) => ({ id: UUID, event, payload, created_at: TIMESTAMP })

const list = async (reference: string, query = '', token = service.token) =>
  (await service.call('GET', `/contacts/${reference}/events${query}`, { token })).body

/** The names under which something was sent for a new contact. */
async function namesOf(reference: string): Promise<string[]> {
  return ((await list(reference)) as { data: { event: string }[] }).data.map(({ event }) => event)
}

describe('POST /events/send', () => {
  it('stores what a contact did, named by its id or its address, under any name', async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    const payload = { firstName: 'Ada', nested: { list: [1, null, 2.5] } }
    const byId = await resend.events.send({ event: 'unknown/name', contactId: id, payload })
    const byAddress = await resend.events.send({ event: 'typed', email: email.toUpperCase() })
    expect([byId.data, byId.error, byAddress.data, byAddress.error]).toEqual([
      { object: 'event', event: 'unknown/name' },
      null,
      { object: 'event', event: 'typed' },
      null,
    ])
    const items = [sentItem('typed'), sentItem('unknown/name', payload)]
    expect(await list(id)).toEqual({ object: 'list', has_more: false, data: items })
    expect(await list(encodeURIComponent(email))).toEqual({ object: 'list', has_more: false, data: items })
  })

  it('takes a payload that fits the schema, lacks fields of it or has others', async () => {
    for (const payload of [
      { text: '', amount: -1.5, isGift: false, due: '1815-12-10', '0': 'a' },
      { due: '1815-12-10T09:30:00.123Z' },
      { more: {} },
      null,
    ])
      expect(outcome(await send({ event: 'typed', contact_id: contact, payload }))).toEqual(accepted('typed'))
  })

  it.each<[string, object, string]>([
    ['a number for a string', { text: 1 }, 'The `payload.text` field must be a string: the schema of `typed` says so.'],
    ['null for a string', { text: null }, 'The `payload.text` field must be a string: the schema of `typed` says so.'],
    ['a string for a number', { amount: '1' }, 'The `payload.amount` field must be a number: the schema of `typed` says so.'],
    ['a number for a boolean', { isGift: 1 }, 'The `payload.isGift` field must be true or false: the schema of `typed` says so.'],
    ...['soon', '1815-02-30', 1, '1'.repeat(60_000)].map((due): [string, object, string] => [
      `${String(due).slice(0, 20)} for a date`,
      { due },
      'The `payload.due` field must be a date or a time in ISO 8601 (`YYYY-MM-DD`): the schema of `typed` says so.',
    ]),
  ])('refuses %s', async (_what, payload, sentence) => {
    expect(outcome(await send({ event: 'typed', contact_id: contact, payload }))).toEqual(invalid(sentence))
  })

  const TOO_LARGE = 'field holds a number beyond 2^53, which would be rounded. Send it as a string.'
  it.each<[string, string, string]>([
    ['no name', '{"contact_id":"C"}', 'Missing `event` field.'],
    ['a name of 1 MB', `{"event":"${'x'.repeat(1_000_000)}","contact_id":"C"}`, 'The `event` field must have at most 100 characters.'],
    [
      'a reserved name',
      '{"event":"resend:email.opened","contact_id":"C"}',
      'The `event` field may not begin with `resend:`, which is reserved, and may not have the form of an id.',
    ],
    ['neither id nor address', '{"event":"a"}', 'Missing `contact_id` or `email` field.'],
    ['both', '{"event":"a","contact_id":"C","email":"a@example.com"}', 'Give either `contact_id` or `email`, not both.'],
    ['an id that is none', '{"event":"a","contact_id":"7"}', 'The `contact_id` field must be a UUID. It is "7".'],
    [
      'an address with a name',
      '{"event":"a","email":"Ada <ada@example.com>"}',
      'The `email` field must be an address alone, such as `name@example.com`: names have fields of their own. It is "Ada <ada@example.com>".',
    ],
    ['a payload that is a list', '{"event":"a","contact_id":"C","payload":[1]}', 'The `payload` field must be an object.'],
    [
      'a whole number beyond 2^53',
      '{"event":"a","contact_id":"C","payload":{"n":[9007199254740993]}}',
      `The \`payload.n[0]\` ${TOO_LARGE}`,
    ],
    ['a number beyond all numbers', '{"event":"a","contact_id":"C","payload":{"n":-1e400}}', `The \`payload.n\` ${TOO_LARGE}`],
    [
      'a NUL',
      '{"event":"a","contact_id":"C","payload":{"t":"\\u0000"}}',
      'The `payload.t` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.',
    ],
    [
      '100 levels',
      `{"event":"a","contact_id":"C","payload":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
      'The request body is nested too deeply.',
    ],
  ])('refuses %s', async (_what, body, sentence) => {
    expect(outcome(await send(body.replace('"C"', `"${contact}"`)))).toEqual(invalid(sentence))
  })

  it('checks each of many that come at once by the schema that its own team has for the name', async () => {
    const other = service.other.token
    await createEvent(service, { name: 'shared', schema: { size: 'number' } })
    const created = await service.call('POST', '/events', { token: other, body: { name: 'shared', schema: { size: 'string' } } })
    expect(created.status).toBe(201)
    const tokens = [service.token, other]
    const bodies = [{ size: 1 }, { size: 'one' }].map((payload) => ({ event: 'shared', email: newAddress(), payload }))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => send(bodies[(index >> 1) % 2], { token: tokens[index % 2] ?? '' })),
    )
    const statuses = [202, 422, 422, 202]
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => statuses[index % 4]))
  })

  it('refuses a payload of 1 MB, and one that is a byte too large, with a 413', async () => {
    const of = (bytes: number) => ({ event: 'large', contact_id: contact, payload: { t: 'x'.repeat(bytes - '{"t":""}'.length) } })
    expect(outcome(await send(of(65_536)))).toEqual(accepted('large'))
    for (const bytes of [65_537, 1_000_000])
      expect(outcome(await send(of(bytes)))).toEqual(
        failure(413, 'validation_error', 'The `payload` field must have at most 64 KB as JSON.'),
      )
  })

  it('knows no contact of another team, and shows it nothing', async () => {
    const { token } = service.other
    const email = newAddress()
    const id = await createContact(service, { email })
    expect(outcome(await send({ event: 'a', contact_id: id }, { token }))).toEqual(UNKNOWN)
    expect(outcome(await send({ event: 'a', contact_id: UNKNOWN_ID }))).toEqual(UNKNOWN)
    expect(outcome(await send({ event: 'typed', email, payload: { text: 1 } }, { token }))).toEqual(accepted('typed'))
    const theirs = await createContact(service, { email }, { token })
    expect(await list(id)).toEqual({ object: 'list', has_more: false, data: [] })
    expect(await list(theirs, '', token)).toEqual({ object: 'list', has_more: false, data: [sentItem('typed', { text: 1 })] })
    expect(outcome(await service.call('GET', `/contacts/${id}/events`, { token }))).toEqual(missing('Contact'))
  })
})

describe('Idempotency-Key on POST /events/send', () => {
  it('answers a repetition with the first answer and stores nothing more, also of 50 at once', async () => {
    const id = await createContact(service, { email: newAddress() })
    const body = { event: 'once', contact_id: id, payload: { b: 1, a: 2 } }
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(body, { key: 'fifty' })))
    for (const answer of answers) expect(outcome(answer)).toEqual(accepted('once'))
    expect(outcome(await send({ payload: { a: 2, b: 1 }, contact_id: id, event: 'once' }, { key: 'fifty' }))).toEqual(accepted('once'))
    expect(await namesOf(id)).toEqual(['once'])
  })

  it('refuses another body with a 409, and is apart from the keys of batches', async () => {
    const id = await createContact(service, { email: newAddress() })
    await send({ event: 'first', contact_id: id }, { key: 'used' })
    expect(outcome(await send({ event: 'second', contact_id: id }, { key: 'used' }))).toEqual(
      failure(
        409,
        'invalid_idempotent_request',
        'This `Idempotency-Key` was used with another request body in the last 24 hours. Use a new key for a new request.',
      ),
    )
    expect((await sendBatch([{ event: 'third', contact_id: id }], { key: 'used' })).status).toBe(202)
    expect(await namesOf(id)).toEqual(['third', 'first'])
  })

  it('answers a repetition also when its contact was deleted or its schema has changed, and does not remember what it refused', async () => {
    const id = await createContact(service, { email: newAddress() })
    await createEvent(service, { name: 'changing' })
    const body = { event: 'changing', contact_id: id, payload: { n: 1 } }
    await send(body, { key: 'later' })
    await resend.events.update('changing', { schema: { n: 'string' } })
    expect(outcome(await send(body, { key: 'later' }))).toEqual(accepted('changing'))
    await resend.events.update('changing', { schema: null })
    await resend.contacts.remove(id)
    expect(outcome(await send(body, { key: 'later' }))).toEqual(accepted('changing'))
    expect(outcome(await send(body, { key: 'new' }))).toEqual(UNKNOWN)
    expect(outcome(await send({ ...body, contact_id: contact }, { key: 'new' }))).toEqual(accepted('changing'))
  })
})

describe('POST /events/send/batch', () => {
  it('stores up to 100 events, in their order', async () => {
    const email = newAddress()
    const id = await createContact(service, { email })
    const events = Array.from({ length: 100 }, (_, index) => ({ event: `n${index}`, ...(index % 2 ? { email } : { contact_id: id }) }))
    expect(outcome(await sendBatch(events))).toEqual({
      status: 202,
      body: { data: events.map(({ event }) => ({ object: 'event', event })) },
    })
    const { data } = (await list(id, '?limit=100')) as { data: { event: string }[] }
    expect(data.map(({ event }) => event)).toEqual(events.map(({ event }) => event).reverse())
  })

  it('stores nothing if one of them is wrong, and says which', async () => {
    const id = await createContact(service, { email: newAddress() })
    const good = { event: 'good', contact_id: id }
    expect(outcome(await sendBatch([good, { event: 'typed', contact_id: id, payload: { amount: 'x' } }]))).toEqual(
      invalid('The `[1].payload.amount` field must be a number: the schema of `typed` says so.'),
    )
    expect(outcome(await sendBatch([good, good, { event: 'a', contact_id: UNKNOWN_ID }]))).toEqual(
      invalid('The `[2].contact_id` field is not the id of one of your contacts.'),
    )
    expect(outcome(await sendBatch([good, { event: 'a' }]))).toEqual(invalid('Missing `[1].contact_id` or `[1].email` field.'))
    expect(outcome(await sendBatch([good, {}]))).toEqual(invalid('Missing `[1].event` field.'))
    expect(outcome(await sendBatch(Array.from({ length: 101 }, () => good)))).toEqual(
      invalid('The request body must have at most 100 entries.'),
    )
    expect(outcome(await sendBatch([]))).toEqual(invalid('The request body must not be empty.'))
    expect(await namesOf(id)).toEqual([])
  })
})

describe('GET /contacts/:contact_id/events', () => {
  it('pages in both directions, over those of the contact and those of its address from before', async () => {
    const email = newAddress()
    for (const event of ['a', 'b']) await send({ event, email })
    const id = await createContact(service, { email })
    for (const event of ['c', 'd']) await send({ event, contact_id: id })
    const { data } = (await list(id)) as { data: { id: string; event: string }[] }
    expect(data.map(({ event }) => event)).toEqual(['d', 'c', 'b', 'a'])
    expect(await list(id, '?limit=3')).toEqual({ object: 'list', has_more: true, data: data.slice(0, 3) })
    expect(await list(id, `?limit=2&after=${data[0]?.id}`)).toEqual({ object: 'list', has_more: true, data: data.slice(1, 3) })
    expect(await list(id, `?limit=2&before=${data[3]?.id}`)).toEqual({ object: 'list', has_more: true, data: data.slice(1, 3) })
    expect(outcome(await service.call('GET', `/contacts/${newAddress()}/events`))).toEqual(missing('Contact'))
  })
})

describe('what was sent for a person', () => {
  it('is in the export, of a contact and of an address', async () => {
    const email = newAddress()
    await send({ event: 'before', email, payload: { n: 1 } })
    const exported = async (reference: string) => (await service.call('GET', `/contacts/${reference}/export`)).body
    expect(await exported(email)).toMatchObject({ contact: null, sent_events: [sentItem('before', { n: 1 })], has_more_sent_events: false })
    const id = await createContact(service, { email })
    await send({ event: 'after', contact_id: id })
    expect(await exported(id)).toMatchObject({
      sent_events: [sentItem('after'), sentItem('before', { n: 1 })],
      has_more_sent_events: false,
    })
  })

  it('is gone with the contact, and never comes after it', async () => {
    const email = newAddress()
    await send({ event: 'before', email })
    const id = await createContact(service, { email })
    const sending = Array.from({ length: 40 }, () => send({ event: 'meanwhile', contact_id: id }))
    const [removed, ...answers] = await Promise.all([service.call('DELETE', `/contacts/${id}`), ...sending])
    expect(removed.status).toBe(200)
    for (const answer of answers) expect([accepted('meanwhile'), UNKNOWN]).toContainEqual(outcome(answer))
    expect(await service.database.execute('select name from sent_events where contact_id = $1 or email = $2', [id, email])).toEqual([])
  })
})
