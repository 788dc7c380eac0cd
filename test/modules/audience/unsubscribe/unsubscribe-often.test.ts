// A person or a program may use a link over and over, and delays no one.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createContact,
  createPublicTopic,
  isUnsubscribed,
  linkTo,
  ONE_CLICK,
  storedDecisions,
  submit,
  subscriptions,
  toldOf,
  visitPage,
} from '../../../support/builders/topics.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const CHOICES_MAX = 30
const clock = createMovingClock()
const SUBSCRIBE = { act: 'subscribe' }
const UNSUBSCRIBE = { act: 'unsubscribe' }

let contact: string
let path: string
let people = 0

const service = shared(() => startTestService({ clock }))
beforeEach(async () => {
  people += 1
  await service.database.execute('delete from topics')
  contact = await createContact(service, `often${people}@example.com`)
  path = await linkTo(service, contact)
})

const send = (fields: Record<string, string>, to = path) => submit(service, to, fields)

async function chooseTooOften(): Promise<void> {
  for (let count = 0; count < CHOICES_MAX; count += 1) expect((await send(SUBSCRIBE)).status).toBe(303)
}

describe('a link whose address has chosen as often as it may in a minute', () => {
  it('answers a page that says to wait, in the language of the reader, and changes nothing', async () => {
    await send(UNSUBSCRIBE)
    await chooseTooOften()
    await send(UNSUBSCRIBE)
    const before = await storedDecisions(service)
    for (const act of ['subscribe', 'save', 'unknown']) {
      const refused = await visitPage(service, path, {
        method: 'POST',
        headers: { 'accept-language': 'de' },
        body: new URLSearchParams({ act }),
      })
      expect({ act, status: refused.status, wait: refused.headers.get('retry-after') }).toEqual({ act, status: 429, wait: '60' })
      expect(refused.text).toContain('Bitte versuchen Sie es in einigen Minuten noch einmal.')
    }
    expect(await storedDecisions(service)).toEqual(before)
    expect((await visitPage(service, path)).status).toBe(200)
  })

  it('takes choices again after that minute', async () => {
    await send(UNSUBSCRIBE)
    await chooseTooOften()
    await send(UNSUBSCRIBE)
    clock.advance(59_000)
    expect((await send(SUBSCRIBE)).status).toBe(429)
    clock.advance(1_000)
    expect((await send(SUBSCRIBE)).status).toBe(303)
    expect(await isUnsubscribed(service, contact)).toBe(false)
  })

  it.each([
    ['one click', ONE_CLICK, 200],
    ['the button', UNSUBSCRIBE, 303],
  ])('still lets the person leave by %s, and tells it once', async (_how, fields, status) => {
    await chooseTooOften()
    for (let count = 0; count < 3; count += 1) expect((await send(fields)).status).toBe(status)
    expect(await isUnsubscribed(service, contact)).toBe(true)
    expect(await toldOf(service, contact)).toEqual([{ type: 'contact.updated', unsubscribed: true, topics: null }])
  })

  it('is counted for itself, and by whatever link', async () => {
    const topic = await createPublicTopic(service, { name: 'News' })
    await chooseTooOften()
    expect((await send(SUBSCRIBE, await linkTo(service, contact, topic))).status).toBe(429)
    const other = await createContact(service, `other${people}@example.com`)
    expect((await send(SUBSCRIBE, await linkTo(service, other))).status).toBe(303)
  })
})

/**
 * While contacts are added to the team, as by an import: a transaction that would lock the opt-outs waits for the end of it, and others wait after
 * that one.
 */
const whileContactsCome = <Result>(work: () => Promise<Result>): Promise<Result> =>
  service.database.transaction(async (inside) => {
    await inside('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`opt-outs ${service.teamId}`])
    await inside(`set local idle_in_transaction_session_timeout = '5s'`)
    return work()
  })

describe('a link of an address without a contact', () => {
  beforeEach(async () => {
    await service.call('DELETE', `/contacts/${contact}`)
  })

  it.each(['save', 'subscribe'])('waits for no one where nothing is to be changed (%s)', async (act) => {
    const answer = await whileContactsCome(() => send({ act }))
    expect({ status: answer.status, location: answer.location }).toEqual({ status: 303, location: `${path}?saved=1` })
  })

  it('waits for no one where all is remembered already', async () => {
    await send(ONE_CLICK)
    const before = await storedDecisions(service)
    expect((await whileContactsCome(() => send(ONE_CLICK))).status).toBe(200)
    expect(await storedDecisions(service)).toEqual(before)
    expect(await isUnsubscribed(service, await createContact(service, `often${people}@example.com`))).toBe(true)
  })

  it('waits for no one about a topic that is gone, or is opted out of already', async () => {
    const [gone, left] = [await createPublicTopic(service, { name: 'Gone' }), await createPublicTopic(service, { name: 'Left' })]
    const again = await createContact(service, `often${people}@example.com`)
    const [toGone, toLeft] = [await linkTo(service, again, gone), await linkTo(service, again, left)]
    await service.call('DELETE', `/contacts/${again}`)
    await service.call('DELETE', `/topics/${gone}`)
    await send(ONE_CLICK, toLeft)
    const statuses = await whileContactsCome(async () => [(await send(ONE_CLICK, toGone)).status, (await send(ONE_CLICK, toLeft)).status])
    expect(statuses).toEqual([200, 200])
    expect(await subscriptions(service, await createContact(service, `often${people}@example.com`))).toEqual({ Left: 'opt_out' })
  })
})

describe('leaving again', () => {
  it('is carried out when someone has subscribed the contact since', async () => {
    await send(ONE_CLICK)
    await service.call('PATCH', `/contacts/${contact}`, { body: { unsubscribed: false } })
    await send(ONE_CLICK)
    expect(await isUnsubscribed(service, contact)).toBe(true)
  })

  it('is carried out whatever else has made the contact get mail again', async () => {
    const topic = await createPublicTopic(service, { name: 'News' })
    const link = await linkTo(service, contact, topic)
    for (const each of [path, link]) await send(ONE_CLICK, each)
    await service.database.execute('update contacts set unsubscribed = false where id = $1', [contact])
    await service.database.execute('delete from contact_topics where contact_id = $1', [contact])
    for (const each of [path, link]) await send(ONE_CLICK, each)
    expect(await isUnsubscribed(service, contact)).toBe(true)
    expect(await subscriptions(service, contact)).toEqual({ News: 'opt_out' })
  })

  it('a topic is carried out when someone has subscribed the contact to it since', async () => {
    const topic = await createPublicTopic(service, { name: 'News' })
    const link = await linkTo(service, contact, topic)
    await send(ONE_CLICK, link)
    await service.call('PATCH', `/contacts/${contact}/topics`, { body: [{ id: topic, subscription: 'opt_in' }] })
    await send(ONE_CLICK, link)
    expect(await subscriptions(service, contact)).toEqual({ News: 'opt_out' })
  })
})
