import { Resend } from 'resend'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

beforeEach(() => service.database.execute('truncate segments, contact_segments, contacts, notifications'))

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)
const notFound = (message: string) => ({ status: 404, body: { statusCode: 404, name: 'not_found', message } })
const refused = (message: string) => ({ status: 422, body: { statusCode: 422, name: 'validation_error', message } })
const FINDS_BY_ITSELF =
  'This segment has a filter, which selects its contacts, so none can be added or removed. Change the contact, or the filter.'
const isAda = { field: 'first_name', operator: 'equals', value: 'Ada' }

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const createSegment = async (body: object, token = service.token) => idOf(await service.call('POST', '/segments', { body, token }))
const createContact = async (body: object, token = service.token) => idOf(await service.call('POST', '/contacts', { body, token }))
const memberships = () =>
  service.database.execute('select segment_id as "segmentId", contact_id as "contactId" from contact_segments order by segment_id')
/** The notifications about a contact since it was created: the segments that it was in each time. */
const told = async (contactId: string) => {
  const rows = await service.database.execute<{ ids: string[] }>(
    `select data -> 'segment_ids' as ids from notifications where type = 'contact.updated' and subject_id = $1 order by id`,
    [contactId],
  )
  return rows.map(({ ids }) => ids)
}

describe('POST /contacts/:contact_id/segments/:segment_id', () => {
  it('puts a contact into a segment, by id or by address, and tells it once', async () => {
    const segment = await createSegment({ name: 'Customers' })
    const contact = await createContact({ email: 'ada+news@example.com' })
    const reply = { object: 'contact_segment', id: contact, contact_id: contact, segment_id: segment }

    expect((await resend.contacts.segments.add({ email: 'ADA+news@example.com', segmentId: segment })).data).toEqual(reply)
    expect((await resend.contacts.segments.add({ contactId: contact, segmentId: segment.toUpperCase() })).data).toEqual(reply)

    expect(await memberships()).toEqual([{ segmentId: segment, contactId: contact }])
    expect(await told(contact)).toEqual([[segment]])
  })

  it('refuses a segment with a filter', async () => {
    const segment = await createSegment({ name: 'Adas', filter: isAda })
    const contact = await createContact({ email: 'bob@example.com' })
    expect(await service.call('POST', `/contacts/${contact}/segments/${segment}`)).toMatchObject(refused(FINDS_BY_ITSELF))
    expect(await memberships()).toEqual([])
  })

  it("answers 404 for an unknown contact or segment, and for another team's", async () => {
    const segment = await createSegment({ name: 'Mine' })
    const contact = await createContact({ email: 'ada@example.com' })
    const theirSegment = await createSegment({ name: 'Theirs' }, service.other.token)
    const theirContact = await createContact({ email: 'bob@example.com' }, service.other.token)

    for (const unknown of [UNKNOWN_ID, theirSegment])
      expect(await service.call('POST', `/contacts/${contact}/segments/${unknown}`)).toMatchObject(notFound('Segment not found'))
    for (const unknown of [UNKNOWN_ID, theirContact, 'nobody@example.com', 'nobody', 'bob@example.com'])
      expect(await service.call('POST', `/contacts/${unknown}/segments/${segment}`)).toMatchObject(notFound('Contact not found'))
    expect(await service.call('POST', `/contacts/${contact}/segments/x`)).toMatchObject(
      refused('The `segment_id` parameter must be a UUID.'),
    )
    expect(await memberships()).toEqual([])
  })
})

describe('DELETE /contacts/:contact_id/segments/:segment_id', () => {
  it('takes a contact out of a segment, and keeps the contact; a repetition changes nothing', async () => {
    const segment = await createSegment({ name: 'Customers' })
    const other = await createSegment({ name: 'Readers' })
    const contact = await createContact({ email: 'ada@example.com', segments: [segment, other] })
    const reply = { object: 'contact_segment', id: contact, contact_id: contact, segment_id: segment, audienceId: segment, deleted: true }

    expect((await resend.contacts.segments.remove({ contactId: contact, segmentId: segment })).data).toEqual(reply)
    expect((await resend.contacts.segments.remove({ email: 'ada@example.com', segmentId: segment })).data).toEqual(reply)

    expect(await memberships()).toEqual([{ segmentId: other, contactId: contact }])
    expect(await told(contact)).toEqual([[other]])
  })

  it("refuses a segment with a filter, and answers 404 for what is unknown or another team's", async () => {
    const filtered = await createSegment({ name: 'Adas', filter: isAda })
    const segment = await createSegment({ name: 'Mine' })
    const contact = await createContact({ email: 'ada@example.com', segments: [segment] })
    expect(await service.call('DELETE', `/contacts/${contact}/segments/${filtered}`)).toMatchObject(refused(FINDS_BY_ITSELF))
    expect(await service.call('DELETE', `/contacts/${contact}/segments/${UNKNOWN_ID}`)).toMatchObject(notFound('Segment not found'))
    expect(await service.call('DELETE', `/contacts/${UNKNOWN_ID}/segments/${segment}`)).toMatchObject(notFound('Contact not found'))
    const answer = await service.call('DELETE', `/contacts/${contact}/segments/${segment}`, { token: service.other.token })
    expect(answer).toMatchObject(notFound('Segment not found'))
    expect(await memberships()).toEqual([{ segmentId: segment, contactId: contact }])
  })
})

describe('GET /contacts/:contact_id/segments', () => {
  it('lists the segments that a contact was put into and those whose filter finds it, newest first, page by page', async () => {
    const oldest = await createSegment({ name: 'Oldest' })
    await createSegment({ name: 'Bobs', filter: { not: isAda } })
    const adas = await createSegment({ name: 'Adas', filter: { all: [isAda, { segment: oldest, member: true }] } })
    await createSegment({ name: 'Not hers' })
    const newest = await createSegment({ name: 'Newest' })
    const contact = await createContact({ email: 'ada@example.com', first_name: 'Ada', segments: [oldest, newest] })
    const item = (id: string, name: string) => ({ object: 'segment', id, name, created_at: TIMESTAMP, has_filter: name === 'Adas' })

    expect((await resend.contacts.segments.list({ contactId: contact })).data).toEqual({
      object: 'list',
      has_more: false,
      data: [item(newest, 'Newest'), item(adas, 'Adas'), item(oldest, 'Oldest')],
    })
    expect((await resend.contacts.segments.list({ email: 'ada@example.com', limit: 1, after: newest })).data).toEqual({
      object: 'list',
      has_more: true,
      data: [item(adas, 'Adas')],
    })
    expect((await resend.contacts.segments.list({ contactId: contact, limit: 2, before: oldest })).data).toEqual({
      object: 'list',
      has_more: false,
      data: [item(newest, 'Newest'), item(adas, 'Adas')],
    })
  })

  it('says when the contact was put into the segment, and when a segment with a filter was created', async () => {
    await createSegment({ name: 'All', filter: { field: 'email', operator: 'is_set' } })
    const segment = await createSegment({ name: 'Customers' })
    const contact = await createContact({ email: 'ada@example.com', segments: [segment] })
    await service.database.execute(`update contact_segments set created_at = '2026-01-02T03:04:05Z'`)
    await service.database.execute(`update segments set created_at = '2025-01-02T03:04:05Z'`)
    expect((await service.call('GET', `/contacts/${contact}/segments`)).body).toMatchObject({
      data: [
        { name: 'Customers', created_at: '2026-01-02 03:04:05.000000+00' },
        { name: 'All', created_at: '2025-01-02 03:04:05.000000+00' },
      ],
    })
  })

  it('answers for a contact beside 100 filters of 1,000 rules each', async () => {
    const rules = Array.from({ length: 1_000 }, (_, index) => ({
      field: 'email',
      operator: 'not_equals',
      value: `person-${index}@example.org`,
    }))
    const first = await createSegment({ name: 'Filter', filter: { all: rules } })
    await service.database.execute(
      `insert into segments (id, team_id, name, filter, created_at)
       select ('01990000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, team_id, name, filter, created_at from segments, generate_series(1, 99) n where id = $1`,
      [first],
    )
    const contact = await createContact({ email: 'ada@example.com' })
    const answer = await service.call('GET', `/contacts/${contact}/segments`)
    expect(answer).toMatchObject({ status: 200, body: { has_more: false, data: expect.objectContaining({ length: 100 }) } })
  })

  it("answers 404 for an unknown contact and for another team's", async () => {
    const contact = await createContact({ email: 'ada@example.com' })
    const NOT_FOUND = notFound('Contact not found')
    expect(await service.call('GET', `/contacts/${contact}/segments`, { token: service.other.token })).toMatchObject(NOT_FOUND)
    expect(await service.call('GET', '/contacts/nobody@example.com/segments')).toMatchObject(NOT_FOUND)
  })
})

describe('POST /contacts with segments', () => {
  it('refuses 10,000 segments in one request, before it looks at one of them', async () => {
    const answer = await service.call('POST', '/contacts', { body: { email: 'ada@example.com', segments: Array(10_000).fill(UNKNOWN_ID) } })
    expect(answer).toMatchObject(refused('The `segments` field must have at most 500 entries.'))
    expect(await service.database.execute('select from contacts')).toEqual([])
  })

  it('takes 500, and no more into another one', async () => {
    await service.database.execute(
      `insert into segments (id, team_id, name, created_at) select gen_random_uuid(), $1, 'Segment', now() from generate_series(1, 501)`,
      [service.teamId],
    )
    const rows = await service.database.execute<{ id: string }>('select id from segments')
    const [last, ...segments] = rows.map(({ id }) => ({ id }))
    const contact = await createContact({ email: 'ada@example.com', segments })
    const { body } = await service.call('GET', `/contacts/${contact}/segments`)
    expect(body).toMatchObject({ has_more: false, data: expect.objectContaining({ length: 500 }) })
    const tooMany = 'A contact can be in at most 500 segments. Remove it from others first.'
    expect(await service.call('POST', `/contacts/${contact}/segments/${last?.id}`)).toMatchObject(refused(tooMany))
  })
})
