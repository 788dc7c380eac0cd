import { beforeEach, describe, expect, it, vi } from 'vitest'
import { emailRecord, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import {
  addMembers,
  beginAll,
  broadcastRecord,
  createBroadcast,
  doDue,
  emailsOf,
  NO_COUNTS,
  readBroadcast,
  stepDue,
} from '../../support/builders/broadcasts.ts'
import { addSegment, addTopic, createContact } from '../../support/builders/contacts.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
let segmentId: string

const service = shared(() => startTestService({ clock, environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:1' } }))
beforeEach(async () => {
  segmentId = await addSegment(service)
})

const reached = async (id: string) => (await emailsOf(service, id)).map(({ to }) => to)

let peopleMade = 0
/** Members without anything but an address: the newest last. */
async function addPeople(count: number): Promise<string[]> {
  peopleMade += 1
  const addresses = Array.from({ length: count }, (_, index) => `p${index}@of${peopleMade}.example.org`)
  await addMembers(service, segmentId, Object.fromEntries(addresses.map((address) => [address, {}])))
  return addresses
}

describe('the emails of a broadcast', () => {
  it('are one for each member, with what is needed to fill in the placeholders', async () => {
    const property = await service.call('POST', '/contact-properties', { body: { key: 'plan', type: 'string', fallback_value: 'none' } })
    expect(property.status).toBe(201)
    const [{ number } = { number: 0 }] = await service.database.execute<{ number: number }>(
      `select number from contact_properties where key = 'plan'`,
    )
    const ids = await addMembers(service, segmentId, {
      'ada@example.org': { first_name: 'Ada', last_name: 'Lovelace', properties: { plan: 'pro' } },
      'bob@example.org': {},
    })
    const id = await createBroadcast(service, {
      segment_id: segmentId,
      subject: 'For {{{contact.first_name|you}}}: {{{contact.plan}}}',
      html: '<p>Hello {{{FIRST_NAME|there}}}, {{{plan|no plan}}}</p>',
      send: true,
    })
    await doDue(service)
    const row = { lastEvent: 'queued', recipientState: 'queued', deliveries: ['bulk relay'] }
    expect(await emailsOf(service, id)).toEqual([
      {
        ...row,
        id: UUID,
        to: 'ada@example.org',
        subject: 'For Ada: pro',
        contactId: ids['ada@example.org'],
        mergeValues: { firstName: 'Ada', [number]: 'pro' },
      },
      { ...row, id: UUID, to: 'bob@example.org', subject: 'For you: none', contactId: ids['bob@example.org'], mergeValues: {} },
    ])
    const [ada, bob] = await emailsOf(service, id)
    const common = { from: 'Acme <hello@example.com>', text: null }
    expect((await service.call('GET', `/emails/${ada?.id}`)).body).toEqual(
      emailRecord(ada?.id ?? '', { ...common, to: ['ada@example.org'], subject: 'For Ada: pro', html: '<p>Hello Ada, pro</p>' }),
    )
    expect((await service.call('GET', `/emails/${bob?.id}`)).body).toEqual(
      emailRecord(bob?.id ?? '', { ...common, to: ['bob@example.org'], subject: 'For you: none', html: '<p>Hello there, no plan</p>' }),
    )
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', counts: { ...NO_COUNTS, recipients: 2 } })
  })

  it('have as many placeholders as a team has properties, and a subject of many parts', async () => {
    const keys = Array.from({ length: 120 }, (_, index) => `many_${index}`)
    await service.database.execute(
      `insert into contact_properties (id, team_id, key, type, created_at) select gen_random_uuid(), $1, key, 'string', now() from unnest($2::text[]) key`,
      [service.teamId, keys],
    )
    await addMembers(service, segmentId, { 'many@example.org': { properties: Object.fromEntries(keys.map((key) => [key, key])) } })
    const id = await createBroadcast(service, {
      segment_id: segmentId,
      subject: 'x{{{EMAIL}}}'.repeat(60),
      html: keys.map((key) => `{{{${key}}}}`).join(' '),
      send: true,
    })
    await doDue(service)

    const [email] = await emailsOf(service, id)
    expect(email?.subject).toBe('xmany@example.org'.repeat(60).slice(0, 998))
    expect(Object.values(email?.mergeValues ?? {}).sort()).toEqual([...keys].sort())
    await service.database.execute(`delete from contact_properties where key like 'many%'`)
  })

  it('escape what contacts say in HTML, and keep it on one line in the subject', async () => {
    await addMembers(service, segmentId, { 'eve@example.org': {} })
    await service.database.execute(`update contacts set first_name = $1 where email = 'eve@example.org'`, [
      '<b>Eve</b>\r\nBcc: all@example.org\u202e',
    ])
    const id = await createBroadcast(service, {
      segment_id: segmentId,
      subject: 'Hi {{{FIRST_NAME}}}!',
      html: '<p>{{{FIRST_NAME}}}</p>',
      send: true,
    })
    await doDue(service)
    const [email] = await emailsOf(service, id)
    expect(email?.subject).toBe('Hi <b>Eve</b> Bcc: all@example.org !')
    expect((await service.call('GET', `/emails/${email?.id}`)).body).toMatchObject({
      html: expect.stringContaining('<p>&lt;b&gt;Eve&lt;/b&gt;'),
    })
  })

  it('are not for those who unsubscribed, or do not want the topic', async () => {
    const topicId = await addTopic(service)
    const ids = await addMembers(service, segmentId, {
      'gets@example.org': {},
      'left@example.org': { unsubscribed: true },
      'refuses@example.org': { topics: [{ id: topicId, subscription: 'opt_out' }] },
    })
    await createContact(service, { email: 'elsewhere@example.org' })
    const all = await createBroadcast(service, { segment_id: segmentId, send: true })
    const some = await createBroadcast(service, { segment_id: segmentId, topic_id: topicId, send: true })
    await doDue(service)
    expect(Object.keys(ids)).toHaveLength(3)
    expect(await reached(all)).toEqual(['gets@example.org', 'refuses@example.org'])
    expect(await reached(some)).toEqual(['gets@example.org'])
  })

  it('are suppressed at once for those who are', async () => {
    await addMembers(service, segmentId, { 'good@example.org': {}, 'bounced@example.org': {} })
    await service.call('POST', '/suppressions', { body: { email: 'bounced@example.org' } })
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await doDue(service)
    expect(
      (await emailsOf(service, id)).map(({ to, lastEvent, recipientState, deliveries }) => [to, lastEvent, recipientState, deliveries]),
    ).toEqual([
      ['good@example.org', 'queued', 'queued', ['bulk relay']],
      ['bounced@example.org', 'suppressed', 'suppressed', []],
    ])
    const [, suppressed] = await emailsOf(service, id)
    expect((await service.call('GET', `/emails/${suppressed?.id}/events`)).body).toMatchObject({
      object: 'list',
      has_more: false,
      data: [
        {
          id: UUID,
          type: 'email.suppressed',
          to: ['bounced@example.org'],
          detail: {
            suppressed: {
              type: 'OnAccountSuppressionList',
              reason: 'manual',
              message: 'The address is on the suppression list: your team added it.',
              diagnosticCode: [],
            },
          },
          created_at: TIMESTAMP,
        },
      ],
    })
    expect(await readBroadcast(service, id)).toMatchObject({ counts: { ...NO_COUNTS, recipients: 2, suppressed: 1 } })
  })

  it('are of the contacts that a filter finds', async () => {
    await addMembers(service, segmentId, { 'anna@example.org': { first_name: 'Anna' }, 'otto@example.org': { first_name: 'Otto' } })
    const filtered = await addSegment(service, { filter: { field: 'first_name', operator: 'equals', value: 'Otto' } })
    const id = await createBroadcast(service, { segment_id: filtered, send: true })
    await doDue(service, { contactsMax: 3 })
    expect(await reached(id)).toEqual(['otto@example.org'])
  })
})

describe('an audience', () => {
  it('of no one is sent at once', async () => {
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await doDue(service)
    expect(await readBroadcast(service, id)).toEqual(broadcastRecord(id, segmentId, { status: 'sent', sent_at: TIMESTAMP }))
  })

  it('of which all are suppressed is sent at once', async () => {
    const people = await addPeople(2)
    for (const email of people) await service.call('POST', '/suppressions', { body: { email } })
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await doDue(service)
    const counts = { ...NO_COUNTS, recipients: 2, suppressed: 2 }
    expect(await readBroadcast(service, id)).toEqual(broadcastRecord(id, segmentId, { status: 'sent', sent_at: TIMESTAMP, counts }))
  })

  it('is reached once, in batches, by any number of workers at once', async () => {
    const people = await addPeople(60)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    const logged = vi.spyOn(service.service.context.log, 'error')
    await Promise.all(Array.from({ length: 4 }, () => doDue(service, { contactsMax: 7 })))
    await doDue(service, { contactsMax: 7 })
    // After an error of a step, the broadcast is not looked at for a while.
    expect(logged.mock.calls).toEqual([])
    expect(await readBroadcast(service, id)).toMatchObject({ status_reason: null })
    logged.mockRestore()
    expect(await reached(id)).toEqual(people)
  })

  it('does not grow after the broadcast has begun, and has no one who left before their batch', async () => {
    const people = await addPeople(6)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true })
    await stepDue(service, { contactsMax: 2 })
    await createContact(service, { email: `late${id}@example.org`, segments: [{ id: segmentId }] })
    await service.call('DELETE', `/contacts/${people[3]}/segments/${segmentId}`)
    await service.call('PATCH', `/contacts/${people[4]}`, { body: { unsubscribed: true } })
    await doDue(service, { contactsMax: 2 })
    expect(await reached(id)).toEqual([people[0], people[1], people[2], people[5]])
  })

  it.each(['segment', 'topic'] as const)('ends when the %s is deleted, and says so', async (what) => {
    const topicId = await addTopic(service)
    const people = await addPeople(4)
    const id = await createBroadcast(service, { segment_id: segmentId, topic_id: topicId, send: true })
    await stepDue(service, { contactsMax: 2 })
    await service.call('DELETE', what === 'segment' ? `/segments/${segmentId}` : `/topics/${topicId}`)
    await doDue(service)
    expect(await reached(id)).toEqual(people.slice(0, 2))
    const reason = `The ${what} was deleted. Contacts who had not been reached by then did not get the broadcast.`
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', status_reason: reason })
    for (const act of ['pause', 'resume']) {
      expect((await service.call('POST', `/broadcasts/${id}/${act}`)).status).toBe(200)
      await doDue(service)
      expect(await readBroadcast(service, id)).toMatchObject({ status_reason: reason })
    }
    await service.database.execute(`update emails set last_event = 'delivered' where broadcast_id = $1`, [id])
    clock.shift(2_000)
    await doDue(service)
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'sent', status_reason: reason })
  })

  it('that was scheduled by a key which is gone at its time is a draft again, and says why', async () => {
    const [address = ''] = await addPeople(1)
    const token = await service.createKey(service.teamId)
    const [key] = await service.database.execute<{ id: string }>('select id from api_keys where team_id = $1 order by id desc limit 1', [
      service.teamId,
    ])
    const id = await createBroadcast(service, { segment_id: segmentId, send: true, scheduled_at: 'in 1 minute' }, { token })
    expect((await service.call('DELETE', `/api-keys/${key?.id}`)).status).toBe(200)
    clock.shift(61_000)
    await doDue(service)

    expect(await readBroadcast(service, id)).toMatchObject({
      status: 'draft',
      scheduled_at: null,
      status_reason: 'The API key that scheduled it was deleted before the scheduled time, so it was not sent.',
    })
    expect(await reached(id)).toEqual([])
    expect((await service.call('POST', `/broadcasts/${id}/send`, { body: {} })).status).toBe(200)
    await doDue(service)
    expect(await readBroadcast(service, id)).toMatchObject({ status_reason: null })
    expect(await reached(id)).toEqual([address])
  })

  it('that is scheduled is reached at its time', async () => {
    const people = await addPeople(1)
    const id = await createBroadcast(service, { segment_id: segmentId, send: true, scheduled_at: 'in 1 hour' })
    await doDue(service)
    expect(await reached(id)).toEqual([])
    clock.shift(61 * 60_000)
    await doDue(service)
    expect(await reached(id)).toEqual(people)
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued', scheduled_at: TIMESTAMP })
  })

  it('is let through at its rate, and what was missed is not made up for', async () => {
    const people = await addPeople(9)
    const id = await createBroadcast(service, { segment_id: segmentId, rate_per_hour: 12, send: true })
    const afterSeconds = async (seconds: number) => {
      clock.shift(seconds * 1_000)
      await doDue(service)
      await beginAll(service, id)
      return (await reached(id)).length
    }
    expect(await afterSeconds(0)).toBe(1)
    expect(await afterSeconds(150)).toBe(1)
    expect(await afterSeconds(160)).toBe(2)
    expect(await afterSeconds(310)).toBe(3)
    // No worker ran for an hour.
    expect(await afterSeconds(3_600)).toBe(4)
    expect(await afterSeconds(150)).toBe(4)
    expect(await afterSeconds(160)).toBe(5)
    expect(await reached(id)).toEqual(people.slice(0, 5))
  })
})
