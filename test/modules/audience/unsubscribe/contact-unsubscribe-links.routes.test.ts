import { beforeAll, describe, expect, it } from 'vitest'
import { invalid, outcome } from '../../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { createContact, createTopic, linkTo, visitPage } from '../../../support/builders/topics.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let contact: string
const clock = createMovingClock()

const service = shared(() => startTestService({ clock }))
beforeAll(async () => {
  contact = await createContact(service, 'ada@example.com')
})

const get = (path: string, token?: string) => service.call('GET', path, token === undefined ? {} : { token })
const missing = (what: string) => ({ status: 404, body: { statusCode: 404, name: 'not_found', message: `${what} not found` } })

describe('GET /contacts/:contact_id/unsubscribe-link', () => {
  it('answers the link by id or address, always the same', async () => {
    const byId = await get(`/contacts/${contact.toUpperCase()}/unsubscribe-link`)
    expect(outcome(byId)).toEqual({
      status: 200,
      body: { object: 'contact', id: contact, url: expect.stringMatching(/^http:\/\/localhost:3000\/unsubscribe\/[\w.-]+$/) },
    })
    expect((await get('/contacts/Ada@example.com/unsubscribe-link')).body).toEqual(byId.body)
  })

  it('makes links that fit a header line, name no one, and work forever', async () => {
    const path = await linkTo(service, contact, await createTopic(service, { name: 'News' }))
    expect(path.length).toBeLessThan(300)
    const readable = path.split(/[./]/).map((part) => Buffer.from(part, 'base64url').toString())
    for (const id of [service.teamId, contact, 'ada']) expect(readable.join('\n')).not.toContain(id)

    clock.advance(20 * 365 * 24 * 60 * 60 * 1_000)
    expect((await visitPage(service, path)).status).toBe(200)
  })

  it('answers the link of an address that is not a contact now: it gets mail as well', async () => {
    const former = await createContact(service, 'former@example.com')
    const before = await linkTo(service, former)
    await service.call('DELETE', `/contacts/${former}`)
    expect(await linkTo(service, 'Former@example.com')).toBe(before)
    expect(outcome(await get('/contacts/nobody@example.com/unsubscribe-link'))).toEqual({
      status: 200,
      body: { object: 'contact', id: null, url: expect.stringMatching(/^http:\/\/localhost:3000\/unsubscribe\/[\w.-]+$/) },
    })
    const topic = await createTopic(service, { name: 'News' })
    const path = await linkTo(service, 'nobody@example.com', topic)
    expect((await visitPage(service, path)).status).toBe(200)
    await service.call('POST', '/contacts', { body: { email: 'nobody@example.com' } })
    expect(await linkTo(service, 'nobody@example.com', topic)).toBe(path)
  })

  it.each(['not an address', UNKNOWN_ID])('answers 404 for %s', async (reference) => {
    expect(outcome(await get(`/contacts/${encodeURIComponent(reference)}/unsubscribe-link`))).toEqual(missing('Contact'))
  })

  it('answers 404 for a contact or a topic of another team', async () => {
    const topic = await createTopic(service, { name: 'Tips' })
    const theirs = await service.call('POST', '/contacts', { token: service.other.token, body: { email: 'ada@example.com' } })
    const { id } = theirs.body as { id: string }
    expect(outcome(await get(`/contacts/${id}/unsubscribe-link`))).toEqual(missing('Contact'))
    expect(outcome(await get(`/contacts/${id}/unsubscribe-link?topic_id=${topic}`, service.other.token))).toEqual(missing('Topic'))
  })

  it('refuses a topic that is not an id', async () => {
    expect(outcome(await get(`/contacts/${contact}/unsubscribe-link?topic_id=news`))).toEqual(
      invalid('The `topic_id` parameter must be a UUID. It is "news".'),
    )
  })
})
