// What sends a broadcast, and what may be done with it in each of its statuses.
import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  BROADCAST_MOVES,
  BROADCAST_STATUSES,
  type BroadcastAct,
  refusedMove,
  statusesFor,
} from '../../../src/modules/broadcasts/broadcast-states.ts'
import { failure, invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import {
  broadcastInput,
  broadcastRecord,
  createBroadcast,
  DOMAIN_NOT_REGISTERED,
  LINK_MISSING,
  readBroadcast,
  segmentEmpty,
  warningsOfInput,
} from '../../support/builders/broadcasts.ts'
import { addSegment, addTopic } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const DAY_MS = 86_400_000
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

let resend: Resend
let segmentId: string

const service = shared(() => startTestService())
beforeAll(async () => {
  resend = new Resend(service.token, { baseUrl: service.url })
  segmentId = await addSegment(service)
})

const setStatus = (id: string, status: string) => service.database.execute('update broadcasts set status = $2 where id = $1', [id, status])

describe('POST /broadcasts/:broadcast_id/send', () => {
  it('sends only what was judged: what is changed meanwhile stays a draft', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    const row = await service.service.context.repositories.broadcasts.find(service.teamId, id)
    if (!row) throw new Error('The broadcast is not there')
    expect((await service.call('PATCH', `/broadcasts/${id}`, { body: { html: '<p>{{{nonsense}}}</p>' } })).status).toBe(200)

    const { broadcasts } = service.service.context.repositories
    const sending = { apiKeyId: UNKNOWN_ID, scheduledAt: null, timezone: null, author: { id: UNKNOWN_ID, name: null } }
    expect(await broadcasts.send(service.teamId, row, sending)).toEqual({ refused: 'draft' })
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft', html: '<p>{{{nonsense}}}</p>' })
  })

  it('is listed, canceled, duplicated and removed as the official client asks for it', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId, send: true, scheduled_at: 'in 1 hour' })
    const { data: list } = await resend.broadcasts.list({ limit: 1 })
    const { object: _kind, counts: _counts, ...record } = broadcastRecord(id, segmentId, { status: 'scheduled', scheduled_at: TIMESTAMP })
    const {
      content_document: _document,
      version: _version,
      from: _from,
      subject: _subject,
      reply_to: _to,
      preview_text: _preview,
      html: _html,
      text: _text,
      ...summary
    } = record
    expect(list).toEqual({ object: 'list', has_more: true, data: [summary] })
    expect(await resend.broadcasts.cancel(id)).toMatchObject({ data: { object: 'broadcast', id }, error: null })
    const { data: copy } = await resend.broadcasts.duplicate(id)
    expect(await readBroadcast(service, copy?.id ?? '')).toEqual(broadcastRecord(copy?.id ?? '', segmentId, { name: 'News (copy)' }))
    expect(await resend.broadcasts.remove(id)).toMatchObject({ data: { object: 'broadcast', id, deleted: true }, error: null })
    expect((await resend.broadcasts.get(id)).error).toMatchObject({ statusCode: 404 })
  })

  it('sends at once, or at a time, as the official client asks for it', async () => {
    const now = await createBroadcast(service, { segment_id: segmentId })
    const later = await createBroadcast(service, { segment_id: segmentId })
    expect(await resend.broadcasts.send(now)).toMatchObject({ data: { object: 'broadcast', id: now }, error: null })
    expect(await resend.broadcasts.send(later, { scheduledAt: 'in 1 hour' })).toMatchObject({
      data: { object: 'broadcast', id: later },
      error: null,
    })
    expect(await readBroadcast(service, now)).toEqual(broadcastRecord(now, segmentId, { status: 'queued' }))
    expect(await readBroadcast(service, later)).toEqual(broadcastRecord(later, segmentId, { status: 'scheduled', scheduled_at: TIMESTAMP }))
  })

  it('keeps the zone in which its time was chosen, until it has another time or none', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    const send = async (body: Record<string, unknown>) => outcome(await service.call('POST', `/broadcasts/${id}/send`, { body }))
    const reference = { status: 200, body: { object: 'broadcast', id } }
    const scheduled = broadcastRecord(id, segmentId, { status: 'scheduled', scheduled_at: TIMESTAMP })
    expect(await send({ scheduled_at: inMs(DAY_MS), timezone: 'america/new_york' })).toEqual(reference)
    expect(await readBroadcast(service, id)).toEqual({ ...scheduled, timezone: 'America/New_York' })
    const { version } = await readBroadcast(service, id)
    // It is one and the same time, on the clocks of another place.
    expect(await send({ scheduled_at: (await readBroadcast(service, id)).scheduled_at, timezone: 'Asia/Kolkata' })).toEqual(reference)
    expect(await readBroadcast(service, id)).toEqual({ ...scheduled, timezone: 'Asia/Kolkata' })
    expect((await readBroadcast(service, id)).version).not.toBe(version)
    await service.call('PATCH', `/broadcasts/${id}`, { body: { subject: 'Other news' } })
    expect(await readBroadcast(service, id)).toMatchObject({ timezone: 'Asia/Kolkata' })
    expect(await send({ scheduled_at: inMs(DAY_MS) })).toEqual(reference)
    expect(await readBroadcast(service, id)).toEqual({ ...scheduled, subject: 'Other news' })
    await send({ scheduled_at: inMs(DAY_MS), timezone: 'Europe/Berlin' })
    const { body: list } = await service.call('GET', '/broadcasts?limit=1')
    expect(list).toMatchObject({ data: [{ id, timezone: 'Europe/Berlin' }] })
    await service.call('POST', `/broadcasts/${id}/cancel`)
    expect(await readBroadcast(service, id)).toEqual(broadcastRecord(id, segmentId, { subject: 'Other news' }))
  })

  it('forgets the zone with the segment that it needs', async () => {
    const gone = await addSegment(service)
    const scheduled = { send: true, scheduled_at: 'tomorrow at 9am', timezone: 'America/New_York' }
    const id = await createBroadcast(service, { segment_id: gone, ...scheduled })
    const read = await readBroadcast(service, id)
    expect(read).toMatchObject({ timezone: 'America/New_York' })
    // A time that names no zone is one of that zone.
    const shown = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', timeStyle: 'short' })
    expect(shown.format(new Date(String(read.scheduled_at).replace(' ', 'T').replace(/\+00$/, 'Z')))).toBe('09:00')
    await service.call('DELETE', `/segments/${gone}`)
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft', scheduled_at: null })
    expect(await readBroadcast(service, id)).not.toHaveProperty('timezone')
  })

  it.each([
    [
      'a zone that is none',
      { scheduled_at: 'in 1 hour', timezone: 'Mars/Olympus' },
      'must be a name of the IANA time zone database, such as `Europe/Berlin`. It is "Mars/Olympus".',
    ],
    [
      'an offset',
      { scheduled_at: 'in 1 hour', timezone: '+02:00' },
      'must be a name of the IANA time zone database, such as `Europe/Berlin`. It is "+02:00".',
    ],
    ['a zone without a time', { timezone: 'Europe/Berlin' }, 'is only for broadcasts that are sent at a time: give `scheduled_at` too.'],
  ])('refuses %s', async (_what, body, message) => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    const answer = await service.call('POST', `/broadcasts/${id}/send`, { body })
    expect(outcome(answer)).toEqual(invalid(`The \`timezone\` field ${message}`))
    expect(await readBroadcast(service, id)).toEqual(broadcastRecord(id, segmentId))
  })

  it('lets one of several that come together win', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    const answers = await Promise.all(Array.from({ length: 6 }, () => service.call('POST', `/broadcasts/${id}/send`, { body: {} })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422])
    for (const answer of answers.filter(({ status }) => status === 422))
      expect(outcome(answer)).toEqual(invalid(refusedMove('send', 'queued')))
  })

  it('refuses one without content', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId, html: '' })
    expect(outcome(await service.call('POST', `/broadcasts/${id}/send`, { body: {} }))).toEqual(
      invalid('This broadcast has no content: give it `html`, `text` or both.'),
    )
  })

  it('refuses one whose segment or topic was deleted', async () => {
    const gone = await addSegment(service)
    const topicId = await addTopic(service)
    const bySegment = await createBroadcast(service, { segment_id: gone })
    const byTopic = await createBroadcast(service, { segment_id: segmentId, topic_id: topicId })
    await service.call('DELETE', `/segments/${gone}`)
    await service.call('DELETE', `/topics/${topicId}`)
    expect(outcome(await service.call('POST', `/broadcasts/${bySegment}/send`, { body: {} }))).toEqual(
      invalid('The `segment_id` field is not the id of one of your segments.'),
    )
    expect(outcome(await service.call('POST', `/broadcasts/${byTopic}/send`, { body: {} }))).toEqual(
      invalid('The `topic_id` field is not the id of one of your topics.'),
    )
  })
})

describe('a placeholder that stands for nothing', () => {
  const warning =
    '`{{{contact.shoe_size}}}` is not a field or a property of your contacts: create the property with POST /contact-properties, or correct the name.'

  it('is a warning in a draft, and keeps it from being sent', async () => {
    const body = broadcastInput(segmentId, {
      html: '<p>{{{contact.shoe_size|42}}} {{{FIRST_NAME}}} {{{VIEW_URL}}} {{{UNSUBSCRIBE_URL}}}</p>',
    })
    const created = await service.call('POST', '/broadcasts', { body })
    expect(outcome(created)).toEqual({
      status: 201,
      body: { object: 'broadcast', id: UUID, warnings: [segmentEmpty(segmentId), DOMAIN_NOT_REGISTERED, warning] },
    })
    const { id } = created.body as { id: string }
    expect((await service.call('PATCH', `/broadcasts/${id}`, { body: { subject: 'Other' } })).body).toEqual({
      object: 'broadcast',
      id,
      warnings: [segmentEmpty(segmentId), DOMAIN_NOT_REGISTERED, warning],
    })
    const refused = invalid(`This broadcast cannot be sent: ${warning}`)
    expect(outcome(await service.call('POST', `/broadcasts/${id}/send`, { body: {} }))).toEqual(refused)
    expect(outcome(await service.call('POST', '/broadcasts', { body: { ...body, send: true } }))).toEqual(refused)
  })

  it.each([
    ['nearly a megabyte long', `{{{contact.${'x'.repeat(999_000)}}}}`],
    ['nested', '{{{contact.{{{contact.first_name}}}}}}'],
    ['a million braces', '{'.repeat(1_000_000)],
  ])('is text when it is %s, and takes no time', async (_what, html) => {
    const startedAt = performance.now()
    const id = await createBroadcast(service, { segment_id: segmentId, html, send: true })
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', html })
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})

describe('a sender whose domain is not verified', () => {
  it('can have drafts, and cannot send them', async () => {
    const strict = await startTestService({ environment: { SENDER_POLICY: 'verified' } })
    const id = await createBroadcast(strict, {})
    const refused = failure(
      403,
      'validation_error',
      'Your team has not verified the domain `example.com`. Register it with POST /domains, publish its DNS records, and verify it.',
    )
    expect(outcome(await strict.call('POST', `/broadcasts/${id}/send`, { body: {} }))).toEqual(refused)
    await strict.close()
  })
})

describe('POST /broadcasts/:broadcast_id/duplicate', () => {
  it.each(BROADCAST_STATUSES)('makes a draft of one that is %s', async (status) => {
    const fields = { segment_id: segmentId, name: 'x'.repeat(70), preview_text: 'x', text: 'x', rate_per_hour: 5 }
    const id = await createBroadcast(service, fields)
    await setStatus(id, status)
    const { body } = await service.call('POST', `/broadcasts/${id}/duplicate`)
    expect(body).toEqual({ object: 'broadcast', id: UUID })
    const copy = (body as { id: string }).id
    expect(copy).not.toBe(id)
    expect(await readBroadcast(service, copy)).toEqual(broadcastRecord(copy, segmentId, { ...fields, name: `${'x'.repeat(63)} (copy)` }))
  })

  it('refuses one whose segment has been deleted', async () => {
    const gone = await addSegment(service)
    const id = await createBroadcast(service, { segment_id: gone })
    await setStatus(id, 'sent')
    await service.call('DELETE', `/segments/${gone}`)
    expect(outcome(await service.call('POST', `/broadcasts/${id}/duplicate`))).toEqual(
      invalid('This broadcast cannot be duplicated: its segment has been deleted.'),
    )
  })
})

describe('a time at which a broadcast is sent', () => {
  it.each([
    ['31 days ahead', 31 * DAY_MS, 'The `scheduled_at` field may be at most 30 days ahead.'],
    ['13 months ahead', 396 * DAY_MS, 'The `scheduled_at` field may be at most 30 days ahead.'],
    ['in the past', -60_000, expect.stringMatching(/^The `scheduled_at` field is in the past .*: give a time in the future\.$/)],
  ])('is refused if it is %s, and leaves a draft', async (_when, ms, message) => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    const body = { scheduled_at: inMs(ms) }
    expect(outcome(await service.call('POST', `/broadcasts/${id}/send`, { body }))).toEqual(invalid(message))
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft', scheduled_at: null })
  })
})

const CALLS: Partial<Record<BroadcastAct, (id: string) => [method: string, path: string, body?: object]>> = {
  update: (id) => ['PATCH', `/broadcasts/${id}`, { subject: 'Changed' }],
  rename: (id) => ['PATCH', `/broadcasts/${id}`, { name: 'Changed' }],
  delete: (id) => ['DELETE', `/broadcasts/${id}`],
  schedule: (id) => ['POST', `/broadcasts/${id}/send`, { scheduled_at: 'in 1 hour' }],
  send: (id) => ['POST', `/broadcasts/${id}/send`, {}],
  cancel: (id) => ['POST', `/broadcasts/${id}/cancel`],
  pause: (id) => ['POST', `/broadcasts/${id}/pause`],
  resume: (id) => ['POST', `/broadcasts/${id}/resume`],
}

describe.each(Object.keys(CALLS) as (keyof typeof CALLS)[])('%s', (act) => {
  const callOf = (id: string) => {
    const [method, path, body] = CALLS[act]?.(id) ?? ['', '']
    return service.call(method, path, body && { body })
  }

  it.each(BROADCAST_STATUSES)('answers as the table of moves says when the broadcast is %s', async (status) => {
    const id = await createBroadcast(service, { segment_id: segmentId })
    await setStatus(id, status)
    const answer = await callOf(id)
    const next = BROADCAST_MOVES[act][status]
    if (next === undefined) {
      expect(outcome(answer)).toEqual(invalid(refusedMove(act, status)))
      return expect((await readBroadcast(service, id)).status).toBe(status)
    }
    const warnings = statusesFor('update').includes(status) ? warningsOfInput(segmentId) : [LINK_MISSING]
    const more = { ...(next === null && { deleted: true }), ...((act === 'update' || act === 'rename') && { warnings }) }
    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'broadcast', id, ...more } })
    const read = await service.call('GET', `/broadcasts/${id}`)
    expect(next === null ? outcome(read) : (read.body as { status: string }).status).toEqual(next ?? missing('Broadcast'))
  })
})
