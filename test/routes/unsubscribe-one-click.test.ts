import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { createContact } from '../support/topics.ts'
import {
  createPublicTopic,
  isUnsubscribed,
  linkTo,
  ONE_CLICK,
  type Page,
  storedDecisions,
  submit,
  subscriptions,
  toldOf,
  visitPage,
} from '../support/unsubscribe-page.ts'

let service: TestService
let contact: string
let email: string
let people = 0

beforeAll(async () => {
  service = await startTestService({ environment: { TRUST_PROXY: '127.0.0.1' } })
})
beforeEach(async () => {
  people += 1
  await service.database.execute('delete from topics')
  email = `ada${people}@example.com`
  contact = await createContact(service, email)
})
afterAll(() => service.close())

const open = (path: string, headers: Record<string, string> = {}) => visitPage(service, path, { headers })

/** What the reader sees at last. */
const shown = (page: Page) => (page.location === null ? page : open(page.location))

describe('one click', () => {
  const multipart = () => {
    const form = new FormData()
    form.append('List-Unsubscribe', 'One-Click')
    return form
  }

  it.each([
    ['a urlencoded form', () => new URLSearchParams(ONE_CLICK)],
    ['a multipart form', multipart],
  ])('unsubscribes from everything by %s, without a question or a redirect', async (_what, body) => {
    const answer = await visitPage(service, await linkTo(service, contact), { method: 'POST', body: body() })
    expect({ status: answer.status, location: answer.location }).toEqual({ status: 200, location: null })
    expect(answer.text).toContain('<h1>You are unsubscribed</h1>')
    expect(await isUnsubscribed(service, contact)).toBe(true)
  })

  it('opts out of the topic of the link, and of nothing else', async () => {
    const news = await createPublicTopic(service, { name: 'News' })
    await createPublicTopic(service, { name: 'Tips' })
    const answer = await submit(service, await linkTo(service, contact, news), ONE_CLICK)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('<h1>You are unsubscribed from this topic</h1>')
    expect(await subscriptions(service, contact)).toEqual({ News: 'opt_out', Tips: 'opt_in' })
    expect(await isUnsubscribed(service, contact)).toBe(false)

    await service.call('DELETE', `/contacts/${contact}`)
    expect(await subscriptions(service, await createContact(service, email, { topics: [{ id: news, subscription: 'opt_in' }] }))).toEqual({
      News: 'opt_out',
      Tips: 'opt_in',
    })
  })

  it('can be sent as often as a mail program likes', async () => {
    const path = await linkTo(service, contact)
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await submit(service, path, ONE_CLICK)).status))
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
    expect(await toldOf(service, contact)).toEqual([{ type: 'contact.updated', unsubscribed: true, topics: null }])
  })

  it('never subscribes, whatever else is in the form', async () => {
    const path = await linkTo(service, contact)
    await submit(service, path, { act: 'subscribe', ...ONE_CLICK })
    expect(await isUnsubscribed(service, contact)).toBe(true)
  })
})

describe('a link speaks for the address that it was made for', () => {
  it.each([
    ['clicked once', ONE_CLICK],
    ['used for leaving', { act: 'unsubscribe' }],
  ])('also when its contact was deleted and has come back before it is %s', async (_how, fields) => {
    const path = await linkTo(service, contact)
    await service.call('DELETE', `/contacts/${contact}`)
    const again = await createContact(service, email)
    expect((await shown(await submit(service, path, fields))).status).toBe(200)
    expect(await isUnsubscribed(service, again)).toBe(true)
  })

  it('about a topic as well', async () => {
    const topic = await createPublicTopic(service, { name: 'News again' })
    const path = await linkTo(service, contact, topic)
    await service.call('DELETE', `/contacts/${contact}`)
    const again = await createContact(service, email)
    await submit(service, path, ONE_CLICK)
    expect(await subscriptions(service, again)).toMatchObject({ 'News again': 'opt_out' })
  })

  it('and for no other that its contact has now', async () => {
    const path = await linkTo(service, contact)
    await service.call('PATCH', `/contacts/${contact}`, { body: { email: `moved-${email}` } })
    const again = await createContact(service, email)
    await submit(service, path, ONE_CLICK)
    expect([await isUnsubscribed(service, contact), await isUnsubscribed(service, again)]).toEqual([false, true])
  })

  it('so that whoever has an old mailbox cannot subscribe the new one', async () => {
    const path = await linkTo(service, contact)
    await service.call('PATCH', `/contacts/${contact}`, { body: { email: `new-${email}`, unsubscribed: true } })
    await submit(service, path, { act: 'subscribe' })
    expect(await isUnsubscribed(service, contact)).toBe(true)
  })
})

describe('a link whose subject is gone', () => {
  it.each([
    ['opened', (path: string) => open(path)],
    ['used for coming back', (path: string) => submit(service, path, { act: 'subscribe' })],
    ['used for saving', (path: string) => submit(service, path, { act: 'save' })],
  ])('because the contact was deleted says so politely when it is %s', async (_how, act) => {
    const path = await linkTo(service, contact)
    await service.call('DELETE', `/contacts/${contact}`)
    const before = await storedDecisions(service)
    const page = await shown(await act(path))
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>You are not on this list</h1>')
    expect(page.text).not.toContain('Your choice has been saved.')
    expect(await storedDecisions(service)).toEqual(before)
  })

  it.each([
    ['clicked once', ONE_CLICK, 'You are unsubscribed'],
    ['used for leaving', { act: 'unsubscribe' }, 'You are not on this list'],
  ])('because the contact was deleted still lets the person leave when it is %s', async (_how, fields, title) => {
    const path = await linkTo(service, contact)
    await service.call('DELETE', `/contacts/${contact}`)
    const page = await shown(await submit(service, path, fields))
    expect(page.status).toBe(200)
    expect(page.text).toContain(`<h1>${title}</h1>`)
    expect(await isUnsubscribed(service, await createContact(service, email))).toBe(true)
  })

  it('because the contact was deleted leaves a topic only, when it is about one', async () => {
    const topic = await createPublicTopic(service, { name: 'News' })
    const path = await linkTo(service, contact, topic)
    await service.call('DELETE', `/contacts/${contact}`)
    expect((await submit(service, path, ONE_CLICK)).status).toBe(200)
    const id = await createContact(service, email)
    expect(await isUnsubscribed(service, id)).toBe(false)
    expect(await subscriptions(service, id)).toEqual({ News: 'opt_out' })
  })

  it('because the topic was deleted is still answered with 200', async () => {
    const topic = await createPublicTopic(service, { name: 'News' })
    const path = await linkTo(service, contact, topic)
    await service.call('DELETE', `/topics/${topic}`)
    expect((await open(path)).status).toBe(200)
    expect((await submit(service, path, ONE_CLICK)).status).toBe(200)
    expect(await isUnsubscribed(service, contact)).toBe(false)
  })
})
