import { beforeEach, describe, expect, it } from 'vitest'
import {
  createContact,
  createPublicTopic,
  isUnsubscribed,
  linkTo,
  ONE_CLICK,
  type Page,
  submit,
  subscriptions,
  toldOf,
  visitPage,
} from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let contact: string
let email: string
let people = 0

const service = shared(() => startTestService({ environment: { TRUST_PROXY: '127.0.0.1' } }))
beforeEach(async () => {
  people += 1
  await service.database.execute('delete from topics')
  email = `ada${people}@example.com`
  contact = await createContact(service, email)
})

const open = (path: string, headers: Record<string, string> = {}) => visitPage(service, path, { headers })

/** What the reader finally sees. */
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

  const MULTIPART = '--a\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--a--\r\n'
  it.each([
    ['text/plain', 'List-Unsubscribe=One-Click'],
    ['text/plain; charset=utf-8', 'list-unsubscribe=one-click\r\n'],
    ['application/octet-stream', 'List-Unsubscribe=One-Click'],
    ['application/octet-stream', MULTIPART],
    ['application/json', '{"List-Unsubscribe":"One-Click"}'],
    ['multipart/form-data', 'List-Unsubscribe=One-Click'],
    ['multipart/form-data; boundary=b', MULTIPART],
    [';;;', 'List-Unsubscribe=One-Click'],
    ['text', 'List-Unsubscribe=One-Click'],
    ['', 'List-Unsubscribe=One-Click'],
    [null, 'List-Unsubscribe=One-Click'],
  ])('unsubscribes whatever a mail program calls it: %s with %j', async (type, body) => {
    const path = await linkTo(service, contact)
    // Bytes have no type that fetch would add.
    const init = { method: 'POST', body: Buffer.from(body), headers: type === null ? {} : { 'content-type': type } }
    expect((await visitPage(service, path, init)).status).toBe(200)
    expect(await isUnsubscribed(service, contact)).toBe(true)
  })

  it.each(['.', '>', ')', '=', ',', '%20', '%3E', '%22', '%E2%80%9D', ').%0A', '%20and%20more'])(
    'works when a mail program took %s for the end of the link',
    async (tail) => {
      const path = await linkTo(service, contact)
      expect((await open(`${path}${tail}`)).status).toBe(200)
      expect((await submit(service, `${path}${tail}`, { act: 'save' })).location).toBe(`${path}?saved=1`)
      const clicked = await submit(service, `${path}${tail}`, ONE_CLICK)
      expect(clicked.text).toContain(`href="${path}"`)
      expect(await isUnsubscribed(service, contact)).toBe(true)
    },
  )

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

  it('so that anyone who has an old mailbox cannot subscribe the new one', async () => {
    const path = await linkTo(service, contact)
    await service.call('PATCH', `/contacts/${contact}`, { body: { email: `new-${email}`, unsubscribed: true } })
    await submit(service, path, { act: 'subscribe' })
    expect(await isUnsubscribed(service, contact)).toBe(true)
  })
})

describe('a link whose subject is gone', () => {
  it.each([
    ['clicked once', ONE_CLICK],
    ['used for leaving', { act: 'unsubscribe' }],
  ])('because the contact was deleted still lets the person leave when it is %s', async (_how, fields) => {
    const path = await linkTo(service, contact)
    await service.call('DELETE', `/contacts/${contact}`)
    const page = await shown(await submit(service, path, fields))
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>You are unsubscribed</h1>')
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
