// What may happen while the emails of a broadcast are made.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LaneClass } from '../../../src/modules/emails/new-delivery.ts'
import {
  addManyMembers,
  addMembers,
  beginAll,
  createBroadcast,
  doDue,
  emailsOf,
  readBroadcast,
  stepDue,
} from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { createVerifiedDomain } from '../../support/builders/domains.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { startRelayService } from '../../support/servers/mail-services.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
let segmentId: string

const service = shared(() => startTestService({ clock, environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:1' } }))
beforeEach(async () => {
  segmentId = await addSegment(service)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await service.database.execute('update broadcasts set due_at = null')
  await service.database.execute('delete from queue_pauses')
})

/** The service as it is if mail goes straight to the servers of its recipients. */
function direct() {
  const { context } = service.service
  return { service: { ...service.service, context: { ...context, config: { ...context.config, delivery: 'direct' as const } } } }
}

type Part = { class?: LaneClass; teamId?: 'its own' | 'another'; destination?: string }

async function pauseQueue(part: Part): Promise<void> {
  const teams = { 'its own': service.teamId, another: service.other.teamId }
  const teamId = part.teamId === undefined ? null : teams[part.teamId]
  const paused = { class: part.class ?? null, teamId, destination: part.destination ?? null }
  const added = await service.service.context.repositories.queuePauses.addAcrossTeams(paused, clock.now())
  expect(added).toBe('added')
}

const reached = async (id: string) => (await emailsOf(service, id)).map(({ to }) => to)
const shown = async (emailId: string) => (await service.call('GET', `/emails/${emailId}`)).body

describe('the properties of a broadcast', () => {
  it('keep what they stood for when its fan-out started, in what is delivered and in what is shown, also if one is deleted midway', async () => {
    const relay = await startRelayService()
    const addProperty = async (body: object) => ((await relay.call('POST', '/contact-properties', { body })).body as { id: string }).id
    const plan = await addProperty({ key: 'plan', type: 'string' })
    const city = await addProperty({ key: 'city', type: 'string', fallback_value: 'Rome' })
    const segment = await addSegment(relay)
    const people = ['a', 'b', 'c', 'd'].map((name) => `${name}@plans.example.org`)
    await addMembers(relay, segment, Object.fromEntries(people.map((email) => [email, { properties: { plan: 'pro' } }])))
    const id = await createBroadcast(relay, {
      segment_id: segment,
      subject: '{{{plan|none}}}, {{{city}}}',
      html: '<p>{{{contact.plan|none}}}, {{{CITY}}}</p>',
      send: true,
    })
    await stepDue(relay, { contactsMax: 2 })
    const before = await emailsOf(relay, id)
    const shownBefore = async () => (await relay.call('GET', `/emails/${before[0]?.id}`)).body
    expect(await shownBefore()).toMatchObject({ html: '<p>pro, Rome</p>' })

    expect((await relay.call('DELETE', `/contact-properties/${plan}`)).status).toBe(200)
    expect((await relay.call('PATCH', `/contact-properties/${city}`, { body: { fallback_value: 'Oslo' } })).status).toBe(200)
    await doDue(relay, { contactsMax: 2 })

    const emails = await emailsOf(relay, id)
    const expected = people.map((email, place) => [email, place < 2 ? 'pro, Rome' : 'none, Rome'])
    expect(emails.map(({ to, subject }) => [to, subject])).toEqual(expected)
    const shownNow = await Promise.all(emails.map(async ({ id: emailId }) => (await relay.call('GET', `/emails/${emailId}`)).body))
    expect(shownNow).toMatchObject(expected.map(([to, text]) => ({ to: [to], subject: text, html: `<p>${text}</p>` })))
    relay.startWorker()
    await until(() => expect(relay.sink.messages).toHaveLength(people.length))
    const arrived = relay.sink.messages.map(({ to: [to], raw }) => [to, /<p>(.*)<\/p>/.exec(raw)?.[1]])
    expect(arrived.toSorted()).toEqual(expected)
    await relay.close()
  })

  it('are those of now in the emails of the version before, which kept none', async () => {
    const { body: property } = await service.call('POST', '/contact-properties', {
      body: { key: 'level', type: 'string', fallback_value: 'first' },
    })
    await addMembers(service, segmentId, { 'e@plans.example.org': {} })
    const id = await createBroadcast(service, { segment_id: segmentId, html: '<p>{{{level}}}</p>', send: true })
    await doDue(service)
    await service.database.execute('update broadcasts set properties = null where id = $1', [id])
    await service.call('PATCH', `/contact-properties/${(property as { id: string }).id}`, { body: { fallback_value: 'second' } })
    const [email] = await emailsOf(service, id)
    expect(await shown(email?.id ?? '')).toMatchObject({ html: '<p>second</p>' })
  })
})

describe('a disk', () => {
  it('that is almost full makes the rest wait, which says why, until it has room again', async () => {
    let isLow = false
    vi.spyOn(service.service.context.gateways.diskSpace, 'isLow').mockImplementation(async () => isLow)
    const people = await addManyMembers(service, segmentId, 4)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 2 })
    isLow = true
    await doDue(service, { contactsMax: 2 })
    expect(await reached(id)).toEqual(people.slice(0, 2))
    const status_reason = 'The server is almost out of disk space. The rest is sent once it has room again.'
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', status_reason })
    isLow = false
    clock.shift(31_000)
    await doDue(service, { contactsMax: 2 })
    expect(await reached(id)).toEqual(people)
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', status_reason: null })
  })

  it('that is full while a batch is written leaves nothing of it, and the batch is written later', async () => {
    const people = await addManyMembers(service, segmentId, 6)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 2 })
    // After its emails, before its recipients.
    await service.database.execute(`create function be_full() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
    await service.database.execute('create trigger full_disk before insert on recipients for each statement execute function be_full()')
    await doDue(service, { contactsMax: 2 })
    expect(await reached(id)).toEqual(people.slice(0, 2))
    await service.database.execute('drop trigger full_disk on recipients')
    clock.shift(11_000)
    await doDue(service, { contactsMax: 2 })
    expect(await reached(id)).toEqual(people)
    expect(await readBroadcast(service, id)).toMatchObject({ counts: { recipients: 6 } })
  })
})

describe('a filter', () => {
  /** Until the end of `work`, a batch of more emails than this is ended as one whose filter takes too long. */
  async function withSlowBatches(emailsMax: number, work: () => Promise<unknown>): Promise<void> {
    await service.database.execute(`create function be_slow() returns trigger language plpgsql as $$ begin
      if (select count(*) from made) > ${emailsMax} then
        raise exception 'canceling statement due to statement timeout' using errcode = '57014';
      end if; return null; end $$`)
    await service.database.execute(
      'create trigger slow_batches after insert on emails referencing new table as made for each statement execute function be_slow()',
    )
    await work()
    await service.database.execute('drop function be_slow cascade')
  }

  it('that takes too long is tried with fewer contacts, then again later, which the broadcast says', async () => {
    const people = await addManyMembers(service, segmentId, 300)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await withSlowBatches(250, () => stepDue(service, { contactsMax: 1_000 }))
    expect(await reached(id)).toEqual(people.slice(0, 250))
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', status_reason: null })
    await withSlowBatches(0, () => doDue(service, { contactsMax: 1_000 }))
    const status_reason = 'The filter of the segment takes too long, and is retried. Give it fewer rules.'
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', status_reason, counts: { recipients: 250 } })
    clock.shift(31_000)
    await doDue(service, { contactsMax: 1_000 })
    expect(await reached(id)).toEqual(people)
    expect(await readBroadcast(service, id)).toMatchObject({ status_reason: null })
  })

  it('that took too long is no longer the reason once the segment is deleted', async () => {
    await addManyMembers(service, segmentId, 3)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await withSlowBatches(0, () => doDue(service))
    await service.call('DELETE', `/segments/${segmentId}`)
    clock.shift(31_000)
    await doDue(service)
    const status_reason = 'The segment was deleted. Contacts who had not been reached by then did not get the broadcast.'
    expect(await readBroadcast(service, id)).toMatchObject({ status_reason, counts: { recipients: 0 } })
  })
})

describe('a rate', () => {
  it('holds for all workers together', async () => {
    const people = await addManyMembers(service, segmentId, 8)
    const id = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 12, send: true })
    const counts: number[] = []
    for (const seconds of [0, 310, 310, 310, 150]) {
      clock.shift(seconds * 1_000)
      await Promise.all(Array.from({ length: 4 }, () => doDue(service)))
      counts.push((await reached(id)).length)
      await beginAll(service, id)
    }
    expect(counts).toEqual([1, 2, 3, 4, 4])
    expect(await reached(id)).toEqual(people.slice(0, 4))
  })

  it('makes no more emails while those of the last seconds have not begun, so that none of them is a burst afterwards', async () => {
    await addManyMembers(service, segmentId, 400)
    const slow = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 120, send: true })
    const quick = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 36_000, send: true })
    const made = async (id: string) => (await emailsOf(service, id)).length
    const later = async () => {
      clock.shift(40_000)
      await doDue(service)
    }
    // Nothing is sent, as when the mail server is away.
    for (let step = 0; step < 10; step += 1) await later()
    expect(await made(slow)).toBe(2)
    // The rate of ten seconds, and that of two, which is let through together.
    const quickly = await made(quick)
    expect(quickly).toBeGreaterThanOrEqual(100)
    expect(quickly).toBeLessThanOrEqual(120)

    for (const id of [slow, quick]) await beginAll(service, id)
    await later()
    expect(await made(slow)).toBe(3)
    expect(await made(quick)).toBeGreaterThan(quickly)
  })

  it('is not held back by what waits for one destination, if others go on', async () => {
    const people = await addManyMembers(service, segmentId, 6)
    const id = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 120, send: true })
    for (let step = 0; step < 3; step += 1) {
      clock.shift(31_000)
      await doDue(service)
      const [stuck] = await emailsOf(service, id)
      await beginAll(service, id)
      await service.database.execute(`update emails set last_event = 'queued' where id = $1`, [stuck?.id])
    }
    expect(await reached(id)).toEqual(people.slice(0, 3))
  })

  it('is not held back by several in a row that wait for one destination, if mail goes straight to its servers', async () => {
    await addManyMembers(service, segmentId, 60)
    const id = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 120, send: true })
    for (let step = 0; step < 40; step += 1) {
      clock.shift(31_000)
      await doDue(direct())
      if (step === 9) expect(await emailsOf(service, id)).toHaveLength(10)
    }
    // The most that may leave at once afterwards.
    expect(await emailsOf(service, id)).toHaveLength(20)
  })

  it.each([
    ['everything', {}],
    ['bulk mail of its team to the relay', { class: 'bulk', teamId: 'its own', destination: 'relay' }],
  ] as const)('makes no emails while an operator has paused %s', async (_what, part) => {
    await pauseQueue(part)
    await addManyMembers(service, segmentId, 3)
    const id = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 120, send: true })
    await doDue(service)
    expect(await emailsOf(service, id)).toEqual([])
    await service.database.execute('delete from queue_pauses')
    clock.shift(31_000)
    await doDue(service)
    expect(await emailsOf(service, id)).toHaveLength(1)
  })

  it.each([
    ['transactional mail', { class: 'transactional' }, 'relay'],
    ['another team', { teamId: 'another' }, 'relay'],
    ['another destination', { destination: 'example.net' }, 'relay'],
    ['one of many destinations', { destination: 'example.org' }, 'direct'],
    ['the relay, to which nothing goes', { destination: 'relay' }, 'direct'],
  ] as const)('is not held back by a pause of %s', async (_what, part, delivery) => {
    await pauseQueue(part)
    await addManyMembers(service, segmentId, 1)
    const id = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 120, send: true })
    await doDue(delivery === 'direct' ? direct() : service)
    expect(await emailsOf(service, id)).toHaveLength(1)
  })

  it('releases an email that a worker held while the broadcast was resumed', async () => {
    await addManyMembers(service, segmentId, 6)
    const id = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 120, send: true })
    for (let step = 0; step < 4; step += 1) {
      clock.shift(31_000)
      await doDue(service)
    }
    const ofBroadcast = `email_id in (select id from emails where broadcast_id = '${id}')`
    await service.database.execute(`update deliveries set class = 'held' where ${ofBroadcast}`)
    clock.shift(31_000)
    await doDue(service)
    expect(await reached(id)).toHaveLength(2)
    expect(await service.database.execute(`select class from deliveries where ${ofBroadcast}`)).toEqual([
      { class: 'bulk' },
      { class: 'bulk' },
    ])
  })
})

describe('a domain that loses its verification midway', () => {
  it('makes what has not begun wait, which says why, and nothing of it is sent until it is verified again', async () => {
    const strict = await startRelayService({ environment: { SENDER_POLICY: 'verified' } })
    const setVerified = async (canSend: boolean) => {
      await strict.database.execute('update domains set can_send = $1', [canSend])
      const { domains } = strict.service.context.repositories
      // Remembered for a second.
      await until(async () => expect((await domains.sendersAmong(strict.teamId, ['example.com'])).size).toBe(canSend ? 1 : 0))
    }
    const count = async (id: string, condition: string) => {
      const [row] = await strict.database.execute<{ count: number }>(
        `select count(*)::int as count from emails e left join deliveries d on d.email_id = e.id where e.broadcast_id = $1 and ${condition}`,
        [id],
      )
      return row?.count ?? 0
    }
    await createVerifiedDomain(strict)
    await setVerified(true)
    const segment = await addSegment(strict)
    const addresses = await addManyMembers(strict, segment, 600)
    const { promise: answers, resolve: answer } = Promise.withResolvers<void>()
    strict.sinkOptions.beforeReply = () => answers
    const id = await createBroadcast(strict, { segment_id: segment, send: true })
    strict.startWorker()
    await until(async () => expect(await count(id, `e.last_event = 'sent'`)).toBeGreaterThan(0))
    await setVerified(false)
    await until(async () => expect(await count(id, `d.class = 'bulk' and d.leased_by is null`)).toBe(0))
    expect(await readBroadcast(strict, id)).toMatchObject({
      status: 'queued',
      status_reason: 'The domain example.com of its sender is not verified. What has not been sent waits until it is.',
    })
    answer()
    await until(async () => expect(await count(id, `d.leased_by is not null`)).toBe(0))
    const sent = strict.sink.messages.length
    expect(sent).toBeLessThan(addresses.length)
    expect(await count(id, `d.class = 'held'`)).toBe(addresses.length - sent)
    await setVerified(true)
    await strict.database.execute('update broadcasts set due_at = now() where due_at is not null')
    await until(async () => expect(await readBroadcast(strict, id)).toMatchObject({ status: 'sent', status_reason: null }))
    await until(() => expect(strict.sink.messages.flatMap(({ to }) => to).toSorted()).toEqual(addresses.toSorted()))
    await strict.close()
  })
})
