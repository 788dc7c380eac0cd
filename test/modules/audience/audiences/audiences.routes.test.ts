import { Resend } from 'resend'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

beforeEach(() => service.database.execute('truncate segments, contact_segments, topics, contact_topics, contacts, contact_properties'))

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)
const notFound = (message: string) => ({ status: 404, body: { statusCode: 404, name: 'not_found', message } })
const refused = (message: string) => ({ status: 422, body: { statusCode: 422, name: 'validation_error', message } })
const isAda = { field: 'first_name', operator: 'equals', value: 'Ada' }

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const createAudience = async (name = 'Customers', token = service.token) =>
  idOf(await service.call('POST', '/audiences', { body: { name }, token }))
const createFiltered = async () => idOf(await service.call('POST', '/segments', { body: { name: 'Adas', filter: isAda } }))
const createContact = async (body: object) => idOf(await service.call('POST', '/contacts', { body }))

describe('audiences', () => {
  it('are segments under their former name', async () => {
    const created = await service.call('POST', '/audiences', { body: { name: 'Customers' } })
    const id = idOf(created)
    expect(created).toMatchObject({ status: 201, body: { object: 'audience', id: UUID, name: 'Customers' } })
    expect((await service.call('GET', `/audiences/${id}`)).body).toEqual({
      object: 'audience',
      id,
      name: 'Customers',
      created_at: TIMESTAMP,
    })
    expect((await service.call('GET', '/audiences')).body).toEqual({
      object: 'list',
      has_more: false,
      data: [{ id, name: 'Customers', created_at: TIMESTAMP }],
    })
    expect((await service.call('GET', `/segments/${id}`)).body).toMatchObject({ object: 'segment', id, name: 'Customers' })
    expect((await service.call('DELETE', `/audiences/${id}`)).body).toEqual({ object: 'audience', id, deleted: true })
    expect(await service.call('GET', `/segments/${id}`)).toMatchObject(notFound('Segment not found'))
  })

  it('are what the client calls audiences, too', async () => {
    const { data } = await resend.audiences.create({ name: 'Customers' })
    expect((await service.call('GET', `/audiences/${data?.id}`)).body).toMatchObject({ object: 'audience', name: 'Customers' })
  })

  it("are not found when unknown or another team's, and count as deleted then", async () => {
    const theirs = await createAudience('Theirs', service.other.token)
    for (const id of [UNKNOWN_ID, theirs]) {
      expect(await service.call('GET', `/audiences/${id}`)).toMatchObject(notFound('Audience not found'))
      expect((await service.call('DELETE', `/audiences/${id}`)).body).toEqual({ object: 'audience', id, deleted: true })
    }
    expect((await service.call('GET', `/audiences/${theirs}`, { token: service.other.token })).status).toBe(200)
  })

  it('are marked as deprecated in the document, and segments are not', async () => {
    const { body } = await service.call('GET', '/openapi.json', { token: null })
    const paths = Object.entries((body as { paths: Record<string, Record<string, { deprecated?: boolean }>> }).paths)
    const marked = paths.flatMap(([path, item]) => Object.values(item).map(({ deprecated = false }) => ({ path, deprecated })))
    for (const { path, deprecated } of marked) expect({ path, deprecated }).toEqual({ path, deprecated: path.startsWith('/audiences') })
    expect(marked.filter(({ deprecated }) => deprecated)).toHaveLength(9)
  })

  it.each([
    ['no name', {}, 'Missing `name` field.'],
    ['a name that is too long', { name: 'x'.repeat(101) }, 'The `name` field must have at most 100 characters.'],
  ])('refuse %s with a 422', async (_what, body, message) => {
    expect(await service.call('POST', '/audiences', { body })).toMatchObject(refused(message))
  })
})

describe('the contacts of an audience', () => {
  it('are created in it, listed, read, changed and taken out as the client does it', async () => {
    const audienceId = await createAudience()
    const { data: created } = await resend.contacts.create({ audienceId, email: 'Ada@example.com', firstName: 'Ada', unsubscribed: false })
    const id = created?.id ?? ''
    expect(created).toEqual({ object: 'contact', id: UUID })
    const summary = { object: 'contact', id, email: 'ada@example.com', first_name: 'Ada', last_name: null, created_at: TIMESTAMP }
    const contact = { ...summary, unsubscribed: false, properties: {} }

    expect((await resend.contacts.get({ audienceId, id })).data).toEqual(contact)
    expect((await resend.contacts.get({ audienceId, email: 'ada@example.com' })).data).toEqual(contact)
    expect((await resend.contacts.update({ audienceId, email: 'ada@example.com', lastName: 'Lovelace', unsubscribed: true })).data).toEqual(
      {
        object: 'contact',
        id,
      },
    )
    // Clients in other languages use the former path.
    expect((await service.call('GET', `/audiences/${audienceId}/contacts`)).body).toEqual({
      object: 'list',
      has_more: false,
      data: [{ ...summary, last_name: 'Lovelace', unsubscribed: true, suppressed: false }],
    })
    expect((await resend.contacts.remove({ audienceId, email: 'ada@example.com' })).data).toEqual({
      object: 'contact',
      id,
      contact: 'ada@example.com',
      deleted: true,
    })

    expect((await service.call('GET', `/audiences/${audienceId}/contacts`)).body).toEqual({ object: 'list', has_more: false, data: [] })
    expect((await service.call('GET', `/contacts/${id}`)).status).toBe(200)
  })

  it('merge into the contact that has the address already', async () => {
    const id = await createContact({ email: 'ada@example.com', first_name: 'Ada' })
    const audienceId = await createAudience()
    const { body } = await service.call('POST', `/audiences/${audienceId}/contacts`, { body: { email: 'ADA@example.com', last_name: 'L' } })
    expect(body).toEqual({ object: 'contact', id })
    expect((await service.call('GET', `/audiences/${audienceId}/contacts/${id}`)).body).toMatchObject({ first_name: 'Ada', last_name: 'L' })
  })

  it('are listed page by page, newest first', async () => {
    const audienceId = await createAudience()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.unshift(await createContact({ email: `${name}@example.com`, segments: [audienceId] }))
    await createContact({ email: 'outside@example.com' })
    const page = async (query: string) => (await service.call('GET', `/audiences/${audienceId}/contacts?${query}`)).body
    const data = (some: string[]) => some.map((id) => expect.objectContaining({ id }))
    expect(await page('limit=2')).toEqual({ object: 'list', has_more: true, data: data(ids.slice(0, 2)) })
    expect(await page(`after=${ids[1]}`)).toEqual({ object: 'list', has_more: false, data: data(ids.slice(2)) })
    expect(await page(`before=${ids[2]}&limit=1`)).toEqual({ object: 'list', has_more: true, data: data(ids.slice(1, 2)) })
  })

  it('are not found there when they are not in it', async () => {
    const audienceId = await createAudience()
    const id = await createContact({ email: 'ada@example.com' })
    for (const contact of [id, 'ada@example.com', UNKNOWN_ID, 'nobody@example.com', 'nobody']) {
      const path = `/audiences/${audienceId}/contacts/${contact}`
      expect(await service.call('GET', path)).toMatchObject(notFound('Contact not found'))
      expect(await service.call('PATCH', path, { body: { first_name: 'Eve' } })).toMatchObject(notFound('Contact not found'))
      expect((await service.call('DELETE', path)).body).toEqual({
        object: 'contact',
        id: contact === 'ada@example.com' ? id : contact,
        contact,
        deleted: true,
      })
    }
    expect((await service.call('GET', `/contacts/${id}`)).body).toMatchObject({ first_name: null })
  })

  it("are not found in an audience that is unknown or another team's, and stay in it", async () => {
    const theirs = await createAudience('Theirs', service.other.token)
    const body = { email: 'ada@example.com' }
    const created = await service.call('POST', `/audiences/${theirs}/contacts`, { body, token: service.other.token })
    const mine = await createContact(body)
    for (const audience of [UNKNOWN_ID, theirs]) {
      const NOT_FOUND = notFound('Audience not found')
      expect(await service.call('POST', `/audiences/${audience}/contacts`, { body })).toMatchObject(NOT_FOUND)
      expect(await service.call('GET', `/audiences/${audience}/contacts`)).toMatchObject(NOT_FOUND)
      expect(await service.call('GET', `/audiences/${audience}/contacts/${mine}`)).toMatchObject(NOT_FOUND)
      expect(await service.call('PATCH', `/audiences/${audience}/contacts/${mine}`, { body: {} })).toMatchObject(NOT_FOUND)
      expect((await service.call('DELETE', `/audiences/${audience}/contacts/${mine}`)).status).toBe(200)
      expect((await service.call('DELETE', `/audiences/${audience}/contacts/${idOf(created)}`)).status).toBe(200)
    }
    const left = await service.call('GET', `/audiences/${theirs}/contacts`, { token: service.other.token })
    expect(left.body).toMatchObject({ data: [{ id: idOf(created) }] })
  })

  it('are found by the filter of a segment, and cannot be put into it or taken out', async () => {
    const audienceId = await createFiltered()
    const ada = await createContact({ email: 'ada@example.com', first_name: 'Ada' })
    const bob = await createContact({ email: 'bob@example.com', first_name: 'Bob' })
    const path = `/audiences/${audienceId}/contacts`
    expect((await service.call('GET', path)).body).toMatchObject({ data: [{ id: ada }] })
    expect((await service.call('GET', `${path}/${ada}`)).status).toBe(200)
    expect(await service.call('GET', `${path}/${bob}`)).toMatchObject(notFound('Contact not found'))
    const message =
      'This segment has a filter, which selects its contacts, so none can be added or removed. Change the contact, or the filter.'
    expect(await service.call('POST', path, { body: { email: 'eve@example.com' } })).toMatchObject(refused(message))
    expect(await service.call('DELETE', `${path}/${ada}`)).toMatchObject(refused(message))
  })

  it('are refused like any contact when something is wrong with them, and nothing is created', async () => {
    const audienceId = await createAudience()
    const answer = await service.call('POST', `/audiences/${audienceId}/contacts`, {
      body: { email: 'ada@example.com', properties: { x: 1 } },
    })
    expect(answer).toMatchObject(
      refused('The `properties.x` field is not a property of your contacts: create it first with POST /contact-properties.'),
    )
    expect(await service.database.execute('select from contacts')).toEqual([])
  })

  const ignored: [what: string, beside: (ids: { topic: string; segment: string }) => object, named: string][] = [
    ['segments that are no list', () => ({ segments: 5 }), 'segments'],
    ['segments that are nothing', () => ({ segments: [null] }), 'segments'],
    ['segments of the team', ({ segment }) => ({ segments: [segment] }), 'segments'],
    ['topics that are no list', () => ({ topics: { x: 1 } }), 'topics'],
    ['topics that are none', () => ({ topics: [{ id: 'zz' }] }), 'topics'],
    ['topics with a wrong choice', ({ topic }) => ({ topics: [{ id: topic, subscription: 'garbage' }] }), 'topics'],
    ['topics of the team', ({ topic }) => ({ topics: [{ id: topic, subscription: 'opt_in' }] }), 'topics'],
    ['another audience', ({ segment }) => ({ audience_id: segment }), 'audience_id'],
  ]
  it.each(ignored)('are created without what only contacts elsewhere take: %s', async (_what, beside, named) => {
    const audienceId = await createAudience()
    const segment = await createAudience('Other')
    const topic = idOf(await service.call('POST', '/topics', { body: { name: 'News', default_subscription: 'opt_out' } }))
    const answer = await service.call('POST', `/audiences/${audienceId}/contacts`, {
      body: { email: 'ada@example.com', ...beside({ topic, segment }) },
    })
    expect(answer).toMatchObject({ status: 201, body: { object: 'contact', id: UUID } })
    expect(answer.headers.get('x-ignored-fields')).toBe(named)
    expect(await service.database.execute('select segment_id as id from contact_segments')).toEqual([{ id: audienceId }])
    expect(await service.database.execute('select from contact_topics')).toEqual([])
  })
})
