import { beforeEach, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { addManyMembers, addMembers, createBroadcast, doDue, emailsOf, readBroadcast, stepDue } from '../../support/builders/broadcasts.ts'
import { addSegment, addTopic, optOut } from '../../support/builders/contacts.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
const service = shared(() => startTestService({ clock, environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:1' } }))

let made = 0
let domain: string
let segmentId: string
let topicId: string

/** Four get it, and each of the others has a reason of their own; two have several. */
beforeEach(async () => {
  made += 1
  domain = `of${made}.example.org`
  segmentId = await addSegment(service)
  topicId = await addTopic(service)
  await addMembers(service, segmentId, {
    ...Object.fromEntries(['ada', 'bob', 'cleo', 'dan'].map((name) => [`${name}@${domain}`, {}])),
    [`unsubscribed@${domain}`]: { unsubscribed: true },
    [`no-topic@${domain}`]: { topics: optOut(topicId) },
    [`suppressed@${domain}`]: {},
    [`both@${domain}`]: { unsubscribed: true, topics: optOut(topicId) },
    [`all@${domain}`]: { topics: optOut(topicId) },
  })
  for (const name of ['suppressed', 'all']) await suppress(`${name}@${domain}`)
  // An address that is in no segment.
  await suppress(`nobody@${domain}`)
})

async function suppress(email: string): Promise<void> {
  await service.database.execute("insert into suppressions (id, team_id, email, origin, created_at) values ($1, $2, $3, 'manual', now())", [
    createId(),
    service.teamId,
    email,
  ])
}

async function audienceOf(id: string): Promise<Record<string, unknown>> {
  const { status, body, text } = await service.call('GET', `/broadcasts/${id}/audience`)
  if (status !== 200) throw new Error(`The audience was not counted: ${text}`)
  return body as Record<string, unknown>
}

/** The addresses whose emails wait to be sent. */
const sentTo = async (id: string) => (await emailsOf(service, id)).filter(({ lastEvent }) => lastEvent === 'queued').map(({ to }) => to)

const filtered = () => addSegment(service, { filter: { field: 'email', operator: 'ends_with', value: `@${domain}` } })

it.each([
  ['a segment', async () => segmentId],
  ['a filter', filtered],
])('the number of recipients of %s is the number of emails', async (_kind, segment) => {
  const id = await createBroadcast(service, { segment_id: await segment() })
  const excluded = { unsubscribed: 2, not_in_topic: 0, suppressed: 2 }
  expect(await audienceOf(id)).toEqual({ object: 'broadcast_audience', id, recipients: 5, excluded, is_exact: true })
  await service.call('POST', `/broadcasts/${id}/send`, { body: {} })
  await doDue(service)
  expect(await sentTo(id)).toHaveLength(5)
  // It is known of those for whom an email was made.
  expect(await audienceOf(id)).toMatchObject({ recipients: 5, excluded: null })
  expect(await readBroadcast(service, id)).toMatchObject({ counts: { recipients: 7, suppressed: 2 } })
})

it.each([
  ['a segment', async () => segmentId],
  ['a filter', filtered],
])('with a topic, each contact of %s counts under the first reason', async (_kind, segment) => {
  const id = await createBroadcast(service, { segment_id: await segment(), topic_id: topicId })
  const excluded = { unsubscribed: 2, not_in_topic: 2, suppressed: 1 }
  expect(await audienceOf(id)).toMatchObject({ recipients: 4, excluded, is_exact: true })
  await service.call('POST', `/broadcasts/${id}/send`, { body: {} })
  await doDue(service)
  expect((await sentTo(id)).sort()).toEqual(['ada', 'bob', 'cleo', 'dan'].map((name) => `${name}@${domain}`))
})

it('with a topic to which contacts subscribe themselves, only those who did get it', async () => {
  const own = await addTopic(service, { defaultSubscription: 'opt_out' })
  await addMembers(service, segmentId, { [`wants@${domain}`]: { topics: [{ id: own, subscription: 'opt_in' }] } })
  const id = await createBroadcast(service, { segment_id: segmentId, topic_id: own })
  expect(await audienceOf(id)).toMatchObject({ recipients: 1, excluded: { unsubscribed: 2, not_in_topic: 7, suppressed: 0 } })
})

it('while it is sent, those who are still to come are among the recipients', async () => {
  const many = await addSegment(service)
  await addManyMembers(service, many, 30)
  const id = await createBroadcast(service, { segment_id: many, send: true })
  expect(await audienceOf(id)).toMatchObject({ recipients: 30 })
  await stepDue(service, { contactsMax: 10 })
  expect(await sentTo(id)).toHaveLength(10)
  expect(await audienceOf(id)).toMatchObject({ recipients: 30, is_exact: true })
  await service.call('POST', `/broadcasts/${id}/cancel`)
  expect(await audienceOf(id)).toMatchObject({ recipients: 10 })
})

it('no one gets a broadcast whose segment was deleted', async () => {
  const id = await createBroadcast(service, { segment_id: segmentId })
  await service.call('DELETE', `/segments/${segmentId}`)
  expect(await audienceOf(id)).toMatchObject({ recipients: 0, excluded: { unsubscribed: 0, not_in_topic: 0, suppressed: 0 } })
})

it('a scheduled broadcast gets another time, or is sent at once', async () => {
  const id = await createBroadcast(service, { segment_id: segmentId, send: true, scheduled_at: 'in 1 hour' })
  const send = async (body: object) => (await service.call('POST', `/broadcasts/${id}/send`, { body })).status
  const before = await readBroadcast(service, id)
  expect(await send({ scheduled_at: 'in 2 hours' })).toBe(200)
  const after = await readBroadcast(service, id)
  expect(after.status).toBe('scheduled')
  expect(after.scheduled_at).not.toBe(before.scheduled_at)
  expect(await send({})).toBe(200)
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', scheduled_at: null })
  expect(await send({ scheduled_at: 'in 2 hours' })).toBe(422)
})
