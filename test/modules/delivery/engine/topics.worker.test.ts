import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attemptsOf, deliveriesOf, sendEmail, stateOf } from '../../../support/builders/engine.ts'
import { chooseTopic, createContact, createTopic } from '../../../support/builders/topics.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const OPTED_OUT = 'The recipient has opted out of this topic.'
const NOT_OPTED_IN = 'The recipient has not opted in to this topic.'
const UNSUBSCRIBED = 'The recipient has unsubscribed from all bulk email.'
const GONE = 'The topic of this email has been deleted, so no one can be subscribed to it.'

const clock = createShiftingClock()
/** Topics that everyone gets unless they opted out, and that only those get who opted in. */
let open: string
let closed: string

const service = shared(() => startRelayService({ clock }))
beforeAll(() => {
  service.startWorker()
})
beforeEach(async () => {
  open = await createTopic(service, { default_subscription: 'opt_in' })
  closed = await createTopic(service, { default_subscription: 'opt_out' })
})
afterEach(() => {
  service.sink.messages.length = 0
})

const settled = (id: string) => until(async () => expect(await deliveriesOf(service, id)).toEqual([]))

/** The recipients whose mail reached the mail server. */
const reached = () => service.sink.messages.flatMap(({ to }) => to).toSorted()

/** Why mail was not tried, by recipient, according to the timeline of the email. */
async function reasonsOf(id: string): Promise<Record<string, string>> {
  const { body } = await service.call('GET', `/emails/${id}/events`)
  const { data } = body as { data: { type: string; to: string[]; detail: { failed: { reason: string } } }[] }
  return Object.fromEntries(data.filter(({ type }) => type === 'email.failed').map(({ to, detail }) => [to.join(), detail.failed.reason]))
}

let people = 0
/** Prepares a contact, and returns its address. */
async function person(prepare: (address: string, id: string) => Promise<unknown> = async () => {}, fields = {}): Promise<string> {
  people += 1
  const address = `person-${people}@example.org`
  await prepare(address, await createContact(service, address, fields))
  return address
}

const remove = (contact: string) => service.call('DELETE', `/contacts/${contact}`)

describe('mail of a topic', () => {
  type Case = [who: string, address: () => Promise<string>, topic: () => string, reason: string | null]
  const cases: Case[] = [
    ['a contact, of a topic that is wanted by default', () => person(), () => open, null],
    ['a contact, of a topic that is not', () => person(), () => closed, NOT_OPTED_IN],
    ['a contact that opted in', () => person((at) => chooseTopic(service, at, closed, 'opt_in')), () => closed, null],
    ['a contact that opted out', () => person((at) => chooseTopic(service, at, open, 'opt_out')), () => open, OPTED_OUT],
    [
      'a contact that opted out and in again',
      () =>
        person(async (at) => {
          await chooseTopic(service, at, open, 'opt_out')
          await chooseTopic(service, at, open, 'opt_in')
        }),
      () => open,
      null,
    ],
    ['a contact that opted out of another topic', () => person((at) => chooseTopic(service, at, closed, 'opt_out')), () => open, null],
    ['an unsubscribed contact', () => person(undefined, { unsubscribed: true }), () => open, UNSUBSCRIBED],
    [
      'an unsubscribed contact that opted in',
      () => person((at) => chooseTopic(service, at, closed, 'opt_in'), { unsubscribed: true }),
      () => closed,
      UNSUBSCRIBED,
    ],
    ['an address that is no contact', async () => 'stranger@example.org', () => open, null],
    ['an address that is no contact, of a topic not wanted by default', async () => 'stranger@example.org', () => closed, NOT_OPTED_IN],
    [
      'a deleted contact that had opted out',
      () =>
        person(async (at) => {
          await chooseTopic(service, at, open, 'opt_out')
          await remove(at)
        }),
      () => open,
      OPTED_OUT,
    ],
    ['a deleted contact that had unsubscribed', () => person(remove, { unsubscribed: true }), () => open, UNSUBSCRIBED],
    ['a deleted contact that had opted out of nothing', () => person(remove), () => open, null],
    [
      'a contact whose address is written in capitals',
      async () => (await person((at) => chooseTopic(service, at, open, 'opt_out'))).replace('person', 'PERSON'),
      () => open,
      OPTED_OUT,
    ],
    [
      'a deleted contact whose address is written in capitals',
      async () =>
        (
          await person(async (at) => {
            await chooseTopic(service, at, open, 'opt_out')
            await remove(at)
          })
        ).replace('person', 'PERSON'),
      () => open,
      OPTED_OUT,
    ],
    [
      'a contact under an internationalised domain',
      async () => {
        await createContact(service, `ida-${people}@bücher.example`)
        await chooseTopic(service, `ida-${people}@xn--bcher-kva.example`, open, 'opt_out')
        return `Ida-${people}@Bücher.example`
      },
      () => open,
      OPTED_OUT,
    ],
    [
      'a contact that another team has, and that opted out there',
      async () => {
        const address = 'shared@example.org'
        await createContact(service, address, { unsubscribed: true }, service.other.token)
        return address
      },
      () => open,
      null,
    ],
  ]

  it.each(cases)('to %s', async (_who, addressOf, topicOf, reason) => {
    const to = await addressOf()
    const id = await sendEmail(service, { to, topic_id: topicOf() })
    await settled(id)
    expect(await stateOf(service, id)).toEqual({
      state: 'queued',
      lastEvent: reason === null ? 'delivered' : 'failed',
      recipients: [reason === null ? 'delivered' : 'failed'],
    })
    expect(Object.values(await reasonsOf(id))).toEqual(reason === null ? [] : [reason])
    expect(await attemptsOf(service, id)).toHaveLength(reason === null ? 1 : 0)
    expect(reached()).toHaveLength(reason === null ? 1 : 0)
  })

  it('goes to those of its recipients who want it, in to, cc and bcc alike', async () => {
    const out = await Promise.all(Array.from({ length: 3 }, () => person((at) => chooseTopic(service, at, open, 'opt_out'))))
    const fields = ['to', 'cc', 'bcc'].map((field, index) => [field, [`${field}@example.org`, out[index]]])
    const id = await sendEmail(service, { ...Object.fromEntries(fields), topic_id: open })
    await settled(id)
    expect(reached()).toEqual(['bcc@example.org', 'cc@example.org', 'to@example.org'])
    expect(await reasonsOf(id)).toEqual(Object.fromEntries(out.map((address) => [address, OPTED_OUT])))
    expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({ last_event: 'delivered', topic_id: open })
  })

  it('is judged by itself in a batch, beside mail that has no topic', async () => {
    const address = await person((at) => chooseTopic(service, at, open, 'opt_out'))
    const body = [{ topic_id: open }, { topic_id: closed }, {}].map((changes, index) => ({
      from: 'hello@example.com',
      to: address,
      subject: `Number ${index}`,
      text: 'Hello.',
      ...changes,
    }))
    const answer = await service.call('POST', '/emails/batch', { body })
    const ids = (answer.body as { data: { id: string }[] }).data.map(({ id }) => id)
    await Promise.all(ids.map(settled))
    expect(await Promise.all(ids.map(async (id) => Object.values(await reasonsOf(id))))).toEqual([[OPTED_OUT], [NOT_OPTED_IN], []])
    expect(service.sink.messages.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim())).toEqual(['Number 2'])
  })

  it('is not sent when its topic is gone by its time', async () => {
    const id = await sendEmail(service, { topic_id: open, scheduled_at: new Date(clock.now().getTime() + 60_000).toISOString() })
    await service.call('DELETE', `/topics/${open}`)
    clock.shift(61_000)
    await settled(id)
    expect(await reasonsOf(id)).toEqual({ 'to@example.org': GONE })
    expect(reached()).toEqual([])
  })

  it('waits for its time, and does not reach who opted out before it', async () => {
    const stays = await person()
    const leaves = await person()
    const id = await sendEmail(service, {
      to: [stays, leaves],
      topic_id: open,
      scheduled_at: new Date(clock.now().getTime() + 60_000).toISOString(),
    })
    await chooseTopic(service, leaves, open, 'opt_out')
    clock.shift(61_000)
    await settled(id)
    expect(reached()).toEqual([stays])
    expect(await reasonsOf(id)).toEqual({ [leaves]: OPTED_OUT })
  })

  it('is not tried again for who opted out after the first attempt', async () => {
    const address = await person()
    service.sinkOptions.onRecipient = () => ({ code: 450, text: '4.2.1 Busy' })
    const id = await sendEmail(service, { to: address, topic_id: open })
    await until(async () => expect((await stateOf(service, id)).lastEvent).toBe('delivery_delayed'))
    delete service.sinkOptions.onRecipient
    await chooseTopic(service, address, open, 'opt_out')
    clock.shift(5 * 60_000)
    await settled(id)
    expect(reached()).toEqual([])
    expect((await stateOf(service, id)).recipients).toEqual(['failed'])
    expect(await attemptsOf(service, id)).toHaveLength(1)
  })

  it('reaches who is subscribed again by an update of the contact', async () => {
    const address = await person(undefined, { unsubscribed: true })
    await service.call('PATCH', `/contacts/${address}`, { body: { unsubscribed: false } })
    await settled(await sendEmail(service, { to: address, topic_id: open }))
    expect(reached()).toEqual([address])
  })
})
