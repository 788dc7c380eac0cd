import { Resend } from 'resend'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

beforeEach(() => service.database.execute('truncate segments, contact_segments, contacts, topics, contact_properties'))

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)
const NOT_FOUND = { status: 404, body: { statusCode: 404, name: 'not_found', message: 'Segment not found' } }
const refused = (message: string) => ({ status: 422, body: { statusCode: 422, name: 'validation_error', message } })

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const createSegment = async (body: object, token = service.token) => {
  const answer = await service.call('POST', '/segments', { body, token })
  expect(answer.status).toBe(201)
  return idOf(answer)
}
const createContact = async (body: object) => idOf(await service.call('POST', '/contacts', { body }))
const isAda = { field: 'first_name', operator: 'equals', value: 'Ada' }
const insertSegments = (count: number, filter: object | null = null) =>
  service.database.execute(
    `insert into segments (id, team_id, name, filter, created_at)
     select gen_random_uuid(), $1, 'Segment ' || n, $3::jsonb, now() from generate_series(1, $2::int) n`,
    [service.teamId, count, filter && JSON.stringify(filter)],
  )

describe('POST /segments', () => {
  it('answers the id and the name', async () => {
    const { data, error } = await resend.segments.create({ name: 'Customers' })
    expect(error).toBeNull()
    expect(data).toEqual({ object: 'segment', id: UUID, name: 'Customers' })
  })

  it('takes a filter, and ignores the field of the past', async () => {
    const answer = await service.call('POST', '/segments', { body: { name: 'All Adas', filter: isAda, audience_id: UNKNOWN_ID } })
    expect(answer).toMatchObject({ status: 201, body: { object: 'segment', id: UUID, name: 'All Adas' } })
    expect(answer.headers.get('x-ignored-fields')).toBeNull()
  })

  it.each([
    ['no name', {}, 'Missing `name` field.'],
    ['an empty name', { name: '' }, 'The `name` field must not be empty.'],
    ['a name that is too long', { name: 'x'.repeat(101) }, 'The `name` field must have at most 100 characters.'],
    ['a filter that is no rule', { name: 'x', filter: 'all' }, 'The `filter` field must be an object.'],
    [
      'a filter with a rule that is wrong',
      { name: 'x', filter: { all: [isAda, { topic: UNKNOWN_ID, subscription: 'opt_in' }] } },
      `The \`filter.all[1].topic\` field is not the id of one of your topics. It is "${UNKNOWN_ID}".`,
    ],
    [
      'a filter that names an unknown segment',
      { name: 'x', filter: { not: { segment: UNKNOWN_ID, member: true } } },
      `The \`filter.not.segment\` field is not the id of one of your segments. It is "${UNKNOWN_ID}".`,
    ],
  ])('refuses %s with a 422', async (_what, body, message) => {
    expect(await service.call('POST', '/segments', { body })).toMatchObject(refused(message))
    expect(await service.database.execute('select from segments')).toEqual([])
  })

  it('takes a name of 100 characters', async () => {
    await createSegment({ name: 'x'.repeat(100) })
  })

  it("refuses another team's segment within a filter", async () => {
    const theirs = await createSegment({ name: 'Theirs' }, service.other.token)
    const answer = await service.call('POST', '/segments', { body: { name: 'x', filter: { segment: theirs, member: true } } })
    expect(answer).toMatchObject(refused(`The \`filter.segment\` field is not the id of one of your segments. It is "${theirs}".`))
  })

  it('stops at 1,000 segments of a team, also when several come at once', async () => {
    await insertSegments(998)
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.call('POST', '/segments', { body: { name: 'One more' } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422, 422, 422, 422])
    expect(answers.find(({ status }) => status === 422)).toMatchObject(refused('A team can have at most 1,000 segments. Delete one first.'))
    await createSegment({ name: 'Of another team' }, service.other.token)
  })

  it('stops at 100 segments with a filter, and takes others still', async () => {
    await insertSegments(99, isAda)
    await createSegment({ name: 'The last', filter: isAda })
    const plain = await createSegment({ name: 'Without' })
    const message = 'A team can have at most 100 segments with a filter. Delete one, or take its filter away, first.'
    expect(await service.call('POST', '/segments', { body: { name: 'One more', filter: isAda } })).toMatchObject(refused(message))
    expect(await service.call('PATCH', `/segments/${plain}`, { body: { filter: isAda } })).toMatchObject(refused(message))
  })
})

describe('GET /segments', () => {
  it('lists the segments of the team only, newest first, page by page', async () => {
    await createSegment({ name: 'Theirs' }, service.other.token)
    const oldest = await createSegment({ name: 'Oldest' })
    const middle = await createSegment({ name: 'Middle', filter: isAda })
    const newest = await createSegment({ name: 'Newest' })
    const item = (id: string, name: string) => ({ id, name, audience_id: id, created_at: TIMESTAMP, has_filter: name === 'Middle' })

    expect((await resend.segments.list()).data).toEqual({
      object: 'list',
      has_more: false,
      data: [item(newest, 'Newest'), item(middle, 'Middle'), item(oldest, 'Oldest')],
    })
    expect((await resend.segments.list({ limit: 1, after: newest })).data).toEqual({
      object: 'list',
      has_more: true,
      data: [item(middle, 'Middle')],
    })
    expect((await resend.segments.list({ limit: 1, before: middle })).data).toEqual({
      object: 'list',
      has_more: false,
      data: [item(newest, 'Newest')],
    })
  })

  it('returns a thousand at once', async () => {
    await insertSegments(1_000)
    const { body } = await service.call('GET', '/segments')
    expect(body).toMatchObject({ has_more: false, data: expect.objectContaining({ length: 1_000 }) })
  })
})

describe('GET /segments/:segment_id', () => {
  it('answers a segment, without a filter and with one', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'company', type: 'string' } })
    const plain = await createSegment({ name: 'Customers' })
    const filter = { all: [isAda, { not: { property: 'company', operator: 'is_set' } }, { segment: plain, member: true }] }
    const finding = await createSegment({ name: 'Found', filter })

    expect((await resend.segments.get(plain)).data).toEqual({
      object: 'segment',
      id: plain,
      name: 'Customers',
      audience_id: plain,
      filter: null,
      created_at: TIMESTAMP,
    })
    expect((await service.call('GET', `/segments/${finding.toUpperCase()}`)).body).toEqual({
      object: 'segment',
      id: finding,
      name: 'Found',
      audience_id: finding,
      filter,
      created_at: TIMESTAMP,
    })
  })

  it("answers 404 for another team's segment and for an unknown one", async () => {
    const id = await createSegment({ name: 'Mine' })
    expect(await service.call('GET', `/segments/${id}`, { token: service.other.token })).toMatchObject(NOT_FOUND)
    expect(await service.call('GET', `/segments/${UNKNOWN_ID}`)).toMatchObject(NOT_FOUND)
  })
})

describe('PATCH /segments/:segment_id', () => {
  const read = async (id: string) => (await service.call('GET', `/segments/${id}`)).body

  it('renames, and leaves the rest', async () => {
    const id = await createSegment({ name: 'Before', filter: isAda })
    const { data } = await resend.segments.update(id, { name: 'After' })
    expect(data).toEqual({ object: 'segment', id })
    expect(await read(id)).toMatchObject({ name: 'After', filter: isAda })
  })

  it('gives a filter, changes it and takes it away', async () => {
    const id = await createSegment({ name: 'Changing' })
    const isBob = { field: 'first_name', operator: 'equals', value: 'Bob' }
    for (const filter of [isAda, isBob, null]) {
      expect(await service.call('PATCH', `/segments/${id}`, { body: { filter } })).toMatchObject({
        status: 200,
        body: { object: 'segment', id },
      })
      expect(await read(id)).toMatchObject({ name: 'Changing', filter })
    }
  })

  it('refuses a filter for a segment that has contacts, until they are taken out', async () => {
    const id = await createSegment({ name: 'Full' })
    const contact = await createContact({ email: 'ada@example.com', segments: [{ id }] })
    expect(await service.call('PATCH', `/segments/${id}`, { body: { name: 'New name', filter: isAda } })).toMatchObject(
      refused('Contacts were added to this segment, so it cannot get a filter. Remove them first, or create another segment.'),
    )
    expect(await read(id)).toMatchObject({ name: 'Full', filter: null })
    await service.call('DELETE', `/contacts/${contact}/segments/${id}`)
    expect((await service.call('PATCH', `/segments/${id}`, { body: { filter: isAda } })).status).toBe(200)
  })

  it('refuses a filter for a segment that another filter names, and one that names the segment itself', async () => {
    const id = await createSegment({ name: 'Named' })
    await createSegment({ name: 'Naming', filter: { segment: id, member: true } })
    expect(await service.call('PATCH', `/segments/${id}`, { body: { filter: isAda } })).toMatchObject(
      refused('This segment cannot get a filter, because the filter of the segment `Naming` uses it. Change that filter first.'),
    )
    expect(await service.call('PATCH', `/segments/${id}`, { body: { filter: { segment: id, member: true } } })).toMatchObject(
      refused('The `filter` field must not name its own segment.'),
    )
  })

  it.each([
    ['null as a name', { name: null }, 'The `name` field must be a string. Leave it out to keep what is there.'],
    ['an empty name', { name: '' }, 'The `name` field must not be empty.'],
  ])('refuses %s with a 422', async (_what, body, message) => {
    const id = await createSegment({ name: 'Mine' })
    expect(await service.call('PATCH', `/segments/${id}`, { body })).toMatchObject(refused(message))
  })

  it("answers 404 for another team's segment, and leaves it as it is", async () => {
    const id = await createSegment({ name: 'Mine' })
    const answer = await service.call('PATCH', `/segments/${id}`, { token: service.other.token, body: { name: 'Theirs', filter: isAda } })
    expect(answer).toMatchObject(NOT_FOUND)
    expect(await read(id)).toMatchObject({ name: 'Mine', filter: null })
  })
})

describe('DELETE /segments/:segment_id', () => {
  it('removes the segment, and leaves its contacts', async () => {
    const id = await createSegment({ name: 'Short' })
    const contact = await createContact({ email: 'ada@example.com', segments: [{ id }] })
    expect((await resend.segments.remove(id)).data).toEqual({ object: 'segment', id, deleted: true })
    expect(await service.call('GET', `/segments/${id}`)).toMatchObject(NOT_FOUND)
    expect((await service.call('GET', `/contacts/${contact}`)).status).toBe(200)
    expect((await service.call('GET', `/contacts/${contact}/segments`)).body).toEqual({ object: 'list', has_more: false, data: [] })
  })

  it("answers the same for one that does not exist, and does not touch another team's", async () => {
    const theirs = await createSegment({ name: 'Theirs' }, service.other.token)
    for (const id of [UNKNOWN_ID, theirs]) expect((await resend.segments.remove(id)).data).toEqual({ object: 'segment', id, deleted: true })
    expect((await service.call('GET', `/segments/${theirs}`, { token: service.other.token })).status).toBe(200)
    expect(await service.call('DELETE', '/segments/x')).toMatchObject(refused('The `segment_id` parameter must be a UUID.'))
  })

  it('keeps a segment that the filter of another one names', async () => {
    const id = await createSegment({ name: 'Named' })
    const naming = await createSegment({ name: 'Naming', filter: { not: { segment: id, member: true } } })
    expect(await service.call('DELETE', `/segments/${id}`)).toMatchObject(
      refused('This segment is used by the filter of the segment `Naming`. Change that filter first.'),
    )
    await resend.segments.remove(naming)
    expect((await service.call('DELETE', `/segments/${id}`)).status).toBe(200)
  })
})
