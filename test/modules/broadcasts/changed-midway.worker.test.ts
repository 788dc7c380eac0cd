// What a broadcast does when it, or what it needs, is changed after it was scheduled or while its emails are made.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { refusedMove } from '../../../src/modules/broadcasts/broadcast-states.ts'
import { invalid, outcome } from '../../support/builders/answers.ts'
import {
  addManyMembers,
  addMembers,
  createBroadcast,
  doDue,
  emailsOf,
  NO_COUNTS,
  readBroadcast,
  stepDue,
} from '../../support/builders/broadcasts.ts'
import { addSegment, addTopic } from '../../support/builders/contacts.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const ROUNDS = 5
const clock = createShiftingClock()
let segmentId: string

const service = shared(() => startTestService({ clock, environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:1' } }))
beforeEach(async () => {
  segmentId = await addSegment(service)
})
afterEach(() => service.database.execute('update broadcasts set due_at = null'))

const reached = async (id: string) => (await emailsOf(service, id)).map(({ to }) => to)
const patch = (id: string, body: object) => service.call('PATCH', `/broadcasts/${id}`, { body })
const act = (id: string, name: string, body?: object) => service.call('POST', `/broadcasts/${id}/${name}`, body && { body })
const schedule = (changes: Record<string, unknown> = {}) =>
  createBroadcast(service, { segment_id: segmentId, send: true, scheduled_at: 'in 1 hour', ...changes })
async function whenItsTimeComes(): Promise<void> {
  clock.shift(61 * 60_000)
  await doDue(service)
}

describe('a broadcast that is scheduled', () => {
  it('is sent as it was changed last, also to another segment', async () => {
    const other = await addSegment(service)
    await addManyMembers(service, segmentId, 2)
    const people = await addManyMembers(service, other, 2)
    const id = await schedule()
    expect((await patch(id, { segment_id: other, subject: 'Changed for {{{EMAIL}}}', html: '<p>Changed</p>' })).status).toBe(200)
    await whenItsTimeComes()
    const emails = await emailsOf(service, id)
    expect(emails.map(({ to, subject }) => [to, subject])).toEqual(people.map((to) => [to, `Changed for ${to}`]))
    expect((await service.call('GET', `/emails/${emails[0]?.id}`)).body).toMatchObject({ html: '<p>Changed</p>' })
  })

  it('keeps its content from the moment its time has come', async () => {
    const id = await schedule()
    await whenItsTimeComes()
    const { status } = await readBroadcast(service, id)
    expect(outcome(await patch(id, { subject: 'Too late' }))).toEqual(invalid(refusedMove('update', String(status))))
    expect((await patch(id, { name: 'Renamed' })).status).toBe(200)
    expect(await readBroadcast(service, id)).toMatchObject({ name: 'Renamed', subject: 'News' })
  })

  it('sends everyone the same, whatever change comes just then', async () => {
    const people = await addManyMembers(service, segmentId, 6)
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await schedule()
      clock.shift(61 * 60_000)
      await Promise.all([patch(id, { subject: 'Changed' }), doDue(service, { contactsMax: 2 }), patch(id, { html: '<p>Changed</p>' })])
      await doDue(service, { contactsMax: 2 })
      const { subject, html } = await readBroadcast(service, id)
      const emails = await emailsOf(service, id)
      expect(emails.map((email) => [email.to, email.subject])).toEqual(people.map((to) => [to, subject]))
      expect((await service.call('GET', `/emails/${emails[0]?.id}`)).body).toMatchObject({ html })
    }
  })

  it.each(['segment', 'topic'] as const)('is a draft again once its %s is deleted, and says so', async (what) => {
    const topicId = await addTopic(service)
    await addManyMembers(service, segmentId, 2)
    const id = await schedule({ topic_id: topicId })
    expect((await service.call('DELETE', what === 'segment' ? `/segments/${segmentId}` : `/topics/${topicId}`)).status).toBe(200)
    await whenItsTimeComes()
    expect(await readBroadcast(service, id)).toMatchObject({
      status: 'draft',
      status_reason: expect.stringMatching(new RegExp(`^Its ${what} was deleted before the scheduled time, so it is a draft again\\.`)),
      counts: NO_COUNTS,
    })
    expect(await emailsOf(service, id)).toEqual([])
  })

  it('has the fallback where a property is gone at its time', async () => {
    const { body } = await service.call('POST', '/contact-properties', { body: { key: 'city', type: 'string' } })
    await addMembers(service, segmentId, { [`lives@${segmentId}.example.org`]: { properties: { city: 'Rome' } } })
    const id = await schedule({ subject: 'To {{{city|nowhere}}}', html: '<p>{{{contact.city|nowhere}}}</p>' })
    expect((await service.call('DELETE', `/contact-properties/${(body as { id: string }).id}`)).status).toBe(200)
    await whenItsTimeComes()
    const [email] = await emailsOf(service, id)
    expect(email?.subject).toBe('To nowhere')
    expect((await service.call('GET', `/emails/${email?.id}`)).body).toMatchObject({ html: '<p>nowhere</p>' })
  })
})

describe('of what comes together', () => {
  it('one of sending, scheduling and deleting wins', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await createBroadcast(service, { segment_id: segmentId })
      const answers = await Promise.all([
        act(id, 'send', {}),
        act(id, 'send', { scheduled_at: 'in 1 hour' }),
        service.call('DELETE', `/broadcasts/${id}`),
      ])
      const [isSent, isScheduled, isDeleted] = answers.map(({ status }) => status === 200)
      const { body, status } = await service.call('GET', `/broadcasts/${id}`)
      // One that was scheduled can be deleted after that.
      if (isDeleted) expect({ status, isSent }).toEqual({ status: 404, isSent: false })
      else expect({ isSent, isScheduled, now: (body as { status: string }).status }).toEqual(isSent ? SENT : SCHEDULED)
    }
  })
  const SENT = { isSent: true, isScheduled: false, now: 'queued' }
  const SCHEDULED = { isSent: false, isScheduled: true, now: 'scheduled' }

  it('a cancellation ends the making of emails, and leaves none that could be sent', async () => {
    await addManyMembers(service, segmentId, 12)
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await createBroadcast(service, { segment_id: segmentId, send: true })
      await stepDue(service, { contactsMax: 3 })
      const [canceled] = await Promise.all([act(id, 'cancel'), doDue(service, { contactsMax: 3 })])
      expect(canceled.status).toBe(200)
      await doDue(service, { contactsMax: 3 })
      const emails = await emailsOf(service, id)
      expect(emails.length).toBeGreaterThanOrEqual(3)
      expect(emails.map(({ lastEvent, deliveries }) => [lastEvent, deliveries])).toEqual(emails.map(() => ['canceled', []]))
      const counts = { ...NO_COUNTS, recipients: emails.length, canceled: emails.length }
      expect(await readBroadcast(service, id)).toMatchObject({ status: 'canceled', counts })
    }
  })

  it('a pause and its end leave out no one, and reach no one twice', async () => {
    const people = await addManyMembers(service, segmentId, 12)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 2 })
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all([act(id, 'pause'), stepDue(service, { contactsMax: 2 }), stepDue(service, { contactsMax: 2 })])
      await doDue(service, { contactsMax: 2 })
      const made = await emailsOf(service, id)
      expect(made.flatMap(({ deliveries }) => deliveries)).toEqual(made.map(() => 'held relay'))
      await Promise.all([act(id, 'resume'), stepDue(service, { contactsMax: 2 })])
    }
    await doDue(service, { contactsMax: 2 })
    expect(await reached(id)).toEqual(people)
    expect((await emailsOf(service, id)).flatMap(({ deliveries }) => deliveries)).toEqual(people.map(() => 'bulk relay'))
  })
})

describe('a contact', () => {
  it('who is deleted before their batch is not reached, also if they are created again', async () => {
    const people = await addManyMembers(service, segmentId, 4)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 1 })
    for (const email of [people[0] ?? '', people[2] ?? '']) {
      expect((await service.call('DELETE', `/contacts/${email}`)).status).toBe(200)
      await addMembers(service, segmentId, { [email]: {} })
    }
    await doDue(service, { contactsMax: 1 })
    expect(await reached(id)).toEqual([people[0], people[1], people[3]])
  })
})
