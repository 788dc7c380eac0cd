import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { failure, invalid, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { broadcastInput, broadcastRecord, createBroadcast, readBroadcast, warningsOfInput } from '../../support/builders/broadcasts.ts'
import { addSegment, addTopic } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend
let segmentId: string

const service = shared(() => startTestService())
beforeAll(async () => {
  resend = new Resend(service.token, { baseUrl: service.url })
  segmentId = await addSegment(service)
})

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const DAY_MS = 86_400_000

describe('Idempotency-Key on POST /broadcasts', () => {
  const create = (body: object, key: string) => service.call('POST', '/broadcasts', { body, headers: { 'idempotency-key': key } })
  const countNamed = async (name: string) =>
    (await service.database.execute('select from broadcasts where team_id = $1 and name = $2', [service.teamId, name])).length

  it('answers a repetition with the first answer and sends nothing more, also of 20 at once', async () => {
    const body = broadcastInput(segmentId, { name: 'Once', html: '<p>{{{contact.email}}}</p>', send: true })
    const answers = (await Promise.all(Array.from({ length: 20 }, () => create(body, 'twenty')))).map(outcome)
    const [first] = answers
    expect(first).toEqual({ status: 201, body: { object: 'broadcast', id: UUID, warnings: warningsOfInput(segmentId) } })
    expect(answers).toEqual(answers.map(() => first))
    expect(outcome(await create(Object.fromEntries(Object.entries(body).toReversed()), 'twenty'))).toEqual(first)
    expect(await countNamed('Once')).toBe(1)
    expect(outcome(await create(body, 'another'))).not.toEqual(first)
    expect(await countNamed('Once')).toBe(2)
  })

  it('refuses another body with a 409', async () => {
    const body = broadcastInput(segmentId, { name: 'Used', send: true })
    await create(body, 'used')
    expect(outcome(await create({ ...body, send: false }, 'used'))).toEqual(
      failure(
        409,
        'invalid_idempotent_request',
        'This `Idempotency-Key` was used with another request body in the last 24 hours. Use a new key for a new request.',
      ),
    )
    expect(await countNamed('Used')).toBe(1)
  })

  it('answers a repetition also when the segment was deleted, and does not remember what it refused', async () => {
    const passing = await addSegment(service)
    const body = broadcastInput(passing, { name: 'Passing' })
    const first = outcome(await create(body, 'passing'))
    await service.call('DELETE', `/segments/${passing}`)
    expect(outcome(await create(body, 'passing'))).toEqual(first)
    const refused = invalid('The `segment_id` field is not the id of one of your segments.')
    expect(outcome(await create(body, 'fresh'))).toEqual(refused)
    expect(outcome(await create({ ...body, segment_id: segmentId }, 'fresh'))).toMatchObject({ status: 201 })
    expect(await countNamed('Passing')).toBe(2)
  })
})

describe('POST /broadcasts', () => {
  it('creates a draft, as the official client asks for it', async () => {
    const { data, error } = await resend.broadcasts.create({
      segmentId,
      from: 'Acme <hello@example.com>',
      subject: 'News',
      html: '<p>News</p>',
    })
    expect({ data, error }).toEqual({ data: { object: 'broadcast', id: UUID, warnings: warningsOfInput(segmentId) }, error: null })
    expect((await resend.broadcasts.get(data?.id ?? '')).data).toEqual(broadcastRecord(data?.id ?? '', segmentId))
  })

  it('takes everything that a broadcast has', async () => {
    const topicId = await addTopic(service)
    const fields = {
      name: 'x'.repeat(70),
      subject: 'News for {{{contact.first_name|you}}}',
      html: '<p>Hello {{{FIRST_NAME|there}}}</p>',
      text: 'Hello',
      preview_text: 'What happened',
      topic_id: topicId,
      rate_per_hour: 1_000,
    }
    const id = await createBroadcast(service, { ...fields, segment_id: segmentId, reply_to: ['a@example.com', 'Bea <b@example.com>'] })
    expect(await readBroadcast(service, id)).toEqual(
      broadcastRecord(id, segmentId, { ...fields, reply_to: 'a@example.com, Bea <b@example.com>' }),
    )
  })

  it('is called as its subject begins, unless it has a name', async () => {
    const named = async (subject: string) => (await readBroadcast(service, await createBroadcast(service, { subject }))) as { name: string }
    expect(await named(`  ${'x'.repeat(80)}`)).toMatchObject({ name: 'x'.repeat(70) })
    // Half of the character would be left.
    expect(await named(`${'x'.repeat(69)}\u{1f600} and more`)).toMatchObject({ name: 'x'.repeat(69) })
  })

  it('takes the former name of the segment', async () => {
    const id = await createBroadcast(service, { segment_id: undefined, audience_id: segmentId })
    expect(await readBroadcast(service, id)).toEqual(broadcastRecord(id, segmentId))
  })

  it('sends at once with `send`', async () => {
    const { data } = await resend.broadcasts.create({ segmentId, from: 'hello@example.com', subject: 'News', text: 'News', send: true })
    expect(await readBroadcast(service, data?.id ?? '')).toEqual(
      broadcastRecord(data?.id ?? '', segmentId, { from: 'hello@example.com', html: null, text: 'News', status: 'queued' }),
    )
  })

  it('is scheduled with `send` and `scheduled_at`', async () => {
    const { data } = await resend.broadcasts.create({
      segmentId,
      from: 'hello@example.com',
      subject: 'News',
      text: 'News',
      send: true,
      scheduledAt: 'in 1 hour',
    })
    const changes = { from: 'hello@example.com', html: null, text: 'News', status: 'scheduled', scheduled_at: TIMESTAMP }
    expect(await readBroadcast(service, data?.id ?? '')).toEqual(broadcastRecord(data?.id ?? '', segmentId, changes))
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no segment', { segment_id: undefined }, 'Missing `segment_id` field.'],
    [
      'more than an email can become once its placeholders are filled in',
      { html: '{{{plan}}}'.repeat(700) },
      'With the longest values in its placeholders, an email of this broadcast could have 6,300,000 characters. At most 4,000,000 are allowed: use fewer placeholders.',
    ],
    ['HTML that is too long', { html: 'x'.repeat(1_000_001) }, 'The `html` field must have at most 1000000 characters.'],
    ['an unknown segment', { segment_id: UNKNOWN_ID }, 'The `segment_id` field is not the id of one of your segments.'],
    ['an unknown topic', { topic_id: UNKNOWN_ID }, 'The `topic_id` field is not the id of one of your topics.'],
    ['an unknown topic in what is sent', { topic_id: UNKNOWN_ID, send: true }, 'The `topic_id` field is not the id of one of your topics.'],
    ['neither html nor text', { html: undefined }, 'Missing `html` or `text` field.'],
    ['no content in what is sent', { html: ' \n', send: true }, 'This broadcast has no content: give it `html`, `text` or both.'],
    ['no sender', { from: undefined }, 'Missing `from` field.'],
    ['no subject', { subject: undefined }, 'Missing `subject` field.'],
    ['a subject of a megabyte', { subject: 'x'.repeat(1024 * 1024) }, 'The `subject` field must have at most 998 characters.'],
    ['a subject of two lines', { subject: 'News\r\nBcc: eve@example.com' }, 'The `subject` field must be one line.'],
    ['an empty name', { name: '' }, 'The `name` field must not be empty.'],
    ['a long name', { name: 'x'.repeat(71) }, 'The `name` field must have at most 70 characters.'],
    ['no rate', { rate_per_hour: 0 }, 'The `rate_per_hour` field must be a number from 1 to 36000000. It is 0.'],
    [
      'a time without `send`',
      { scheduled_at: 'in 1 hour' },
      'The `scheduled_at` field is only for broadcasts that are sent: give `send: true` too.',
    ],
    [
      'a time with `send: false`',
      { scheduled_at: 'in 1 hour', send: false },
      'The `scheduled_at` field is only for broadcasts that are sent: give `send: true` too.',
    ],
    ['31 days ahead', { send: true, scheduled_at: inMs(31 * DAY_MS) }, 'The `scheduled_at` field may be at most 30 days ahead.'],
    ['13 months ahead', { send: true, scheduled_at: inMs(396 * DAY_MS) }, 'The `scheduled_at` field may be at most 30 days ahead.'],
  ])('refuses %s', async (_what, changes, message) => {
    expect(outcome(await service.call('POST', '/broadcasts', { body: broadcastInput(segmentId, changes) }))).toEqual(invalid(message))
  })

  it('refuses a time in the past', async () => {
    const body = broadcastInput(segmentId, { send: true, scheduled_at: inMs(-60_000) })
    expect(outcome(await service.call('POST', '/broadcasts', { body }))).toEqual(
      invalid(expect.stringMatching(/^The `scheduled_at` field is in the past .*: give a time in the future\.$/)),
    )
  })

  it("refuses another team's segment and topic", async () => {
    const ofTeam = service.other.teamId
    const segment = broadcastInput(await addSegment(service, { ofTeam }))
    expect(outcome(await service.call('POST', '/broadcasts', { body: segment }))).toEqual(
      invalid('The `segment_id` field is not the id of one of your segments.'),
    )
    const topic = broadcastInput(segmentId, { topic_id: await addTopic(service, { ofTeam }) })
    expect(outcome(await service.call('POST', '/broadcasts', { body: topic }))).toEqual(
      invalid('The `topic_id` field is not the id of one of your topics.'),
    )
  })
})

describe('GET /broadcasts', () => {
  it('lists the broadcasts of the team only, newest first, page by page', async () => {
    const { token, teamId } = service.other
    const ofTeam = await addSegment(service, { ofTeam: teamId })
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.unshift(await createBroadcast(service, { segment_id: ofTeam, name }, { token }))
    const items = ids.map((id, index) => {
      const record = broadcastRecord(id, ofTeam, { name: ['c', 'b', 'a'][index] })
      const {
        object: _object,
        from: _from,
        subject: _subject,
        reply_to: _replyTo,
        preview_text: _preview,
        html: _html,
        text: _text,
        content_document: _document,
        version: _version,
        counts: _,
        ...item
      } = record
      return item
    })
    const list = async (query: string) => (await service.call('GET', `/broadcasts${query}`, { token })).body
    expect((await new Resend(token, { baseUrl: service.url }).broadcasts.list()).data).toEqual({
      object: 'list',
      has_more: false,
      data: items,
    })
    expect(await list('?limit=2')).toEqual({ object: 'list', has_more: true, data: items.slice(0, 2) })
    expect(await list(`?limit=2&after=${ids[1]}`)).toEqual({ object: 'list', has_more: false, data: items.slice(2) })
  })
})

describe('PATCH /broadcasts/:broadcast_id', () => {
  it.each(['draft', 'scheduled'])('keeps every one of several changes of a %s that come together', async (status) => {
    const id = await createBroadcast(service, {
      segment_id: segmentId,
      ...(status === 'scheduled' && { send: true, scheduled_at: 'in 1 hour' }),
    })
    const changes = {
      subject: 'Changed',
      preview_text: 'Changed',
      text: 'Changed',
      html: '<p>Changed</p>',
      from: 'Changed <changed@example.com>',
      reply_to: 'changed@example.com',
      rate_per_hour: 7,
    }
    const answers = await Promise.all(
      Object.entries(changes).map(([field, value]) => service.call('PATCH', `/broadcasts/${id}`, { body: { [field]: value } })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
    expect(await readBroadcast(service, id)).toMatchObject({ status, ...changes })
  })

  it('changes what is given, as the official client asks for it', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    const other = await addSegment(service)
    expect(await resend.broadcasts.update(id, { name: 'Other', segmentId: other, subject: 'Other news' })).toMatchObject({
      data: { object: 'broadcast', id },
      error: null,
    })
    expect(await readBroadcast(service, id)).toEqual(broadcastRecord(id, other, { name: 'Other', subject: 'Other news' }))
  })

  it('empties what can be empty, and keeps the rest', async () => {
    const topicId = await addTopic(service)
    const id = await createBroadcast(service, {
      segment_id: segmentId,
      topic_id: topicId,
      preview_text: 'x',
      reply_to: 'a@example.com',
      text: 'x',
      rate_per_hour: 5,
    })
    const body = { topic_id: null, preview_text: null, reply_to: '', text: null, rate_per_hour: null }
    expect((await service.call('PATCH', `/broadcasts/${id}`, { body })).status).toBe(200)
    expect(await readBroadcast(service, id)).toEqual(broadcastRecord(id, segmentId))
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no content at all', { html: null }, 'Missing `html` or `text` field.'],
    ['a sender that is none', { from: 'nobody' }, expect.stringMatching(/^The `from` field must be/)],
    [
      'more than an email can become once its placeholders are filled in',
      { html: '{{{plan}}}'.repeat(700) },
      'With the longest values in its placeholders, an email of this broadcast could have 6,300,000 characters. At most 4,000,000 are allowed: use fewer placeholders.',
    ],
    ['HTML that is too long', { html: 'x'.repeat(1_000_001) }, 'The `html` field must have at most 1000000 characters.'],
    ['an unknown segment', { segment_id: UNKNOWN_ID }, 'The `segment_id` field is not the id of one of your segments.'],
    ['an unknown topic', { topic_id: UNKNOWN_ID }, 'The `topic_id` field is not the id of one of your topics.'],
  ])('refuses %s', async (_what, body, message) => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    expect(outcome(await service.call('PATCH', `/broadcasts/${id}`, { body }))).toEqual(invalid(message))
    expect(await readBroadcast(service, id)).toEqual(broadcastRecord(id, segmentId))
  })

  it('judges a scheduled one as if it was sent', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId, send: true, scheduled_at: 'in 1 hour' })
    expect(outcome(await service.call('PATCH', `/broadcasts/${id}`, { body: { html: '' } }))).toEqual(
      invalid('This broadcast has no content: give it `html`, `text` or both.'),
    )
    expect((await service.call('PATCH', `/broadcasts/${id}`, { body: { subject: 'Changed' } })).status).toBe(200)
    expect(await readBroadcast(service, id)).toEqual(
      broadcastRecord(id, segmentId, { subject: 'Changed', status: 'scheduled', scheduled_at: TIMESTAMP }),
    )
  })
})
