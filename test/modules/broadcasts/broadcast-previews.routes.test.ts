import { beforeAll, describe, expect, it } from 'vitest'
import { testsOfBroadcast } from '../../../src/modules/broadcasts/broadcast-previews.routes.ts'
import { emailRecord, invalid, missing, outcome, UUID } from '../../support/builders/answers.ts'
import {
  addMembers,
  createBroadcast,
  DOMAIN_NOT_REGISTERED,
  doDue,
  emailsOf,
  LINK_MISSING,
  NO_COUNTS,
  readBroadcast,
} from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let segmentId: string
let id: string
let contactId: string

const service = shared(() => startTestService())
beforeAll(async () => {
  segmentId = await addSegment(service)
  const ids = await addMembers(service, segmentId, { 'ada@example.org': { first_name: 'Ada <3' } })
  contactId = ids['ada@example.org'] ?? ''
  id = await createBroadcast(service, {
    segment_id: segmentId,
    subject: 'Hi {{{FIRST_NAME|you}}}',
    preview_text: 'For {{{FIRST_NAME|you}}}',
    html: '<body><p>Hi {{{FIRST_NAME|you}}} {{{contact.shoe_size|42}}}</p></body>',
  })
})

const preview = (query: string) => service.call('GET', `/broadcasts/${id}/preview${query}`)

const WARNING =
  '`{{{contact.shoe_size}}}` is not a field or a property of your contacts: create the property with POST /contact-properties, or correct the name.'

describe('GET /broadcasts/:broadcast_id/preview', () => {
  const shown = (name: string, escaped: string) => ({
    object: 'broadcast_preview',
    subject: `Hi ${name}`,
    preview_text: `For ${name}`,
    html: `<body><p>Hi ${escaped} 42</p></body>`,
    text: null,
    warnings: [LINK_MISSING, DOMAIN_NOT_REGISTERED, WARNING],
  })

  it('shows it with the values of a contact, by id or address, and with fallbacks', async () => {
    for (const contact of [contactId, 'ADA@example.org'])
      expect(outcome(await preview(`?contact=${contact}`))).toEqual({ status: 200, body: shown('Ada <3', 'Ada &lt;3') })
    expect(outcome(await preview(''))).toEqual({ status: 200, body: shown('you', 'you') })
  })

  it('answers 404 for a contact or a broadcast that is not there', async () => {
    expect(outcome(await preview(`?contact=${UNKNOWN_ID}`))).toEqual(missing('Contact'))
    expect(outcome(await service.call('GET', `/broadcasts/${UNKNOWN_ID}/preview`))).toEqual(missing('Broadcast'))
  })

  it('refuses what is neither an id nor an address', async () => {
    expect(outcome(await preview('?contact=Ada'))).toEqual(invalid('The `contact` field must be the id or the address of a contact.'))
  })
})

describe('a preview', () => {
  it('says what the mail says, whatever the contact has', async () => {
    const own = await addSegment(service)
    await service.call('POST', '/contact-properties', { body: { key: 'points', type: 'number' } })
    const names = {
      'line@example.org': 'A\r\nBcc: b@example.org',
      'hidden@example.org': 'A\u0007\u202eB\u2028C\u0085D',
      'long@example.org': '\u{1f600}'.repeat(600),
      'empty@example.org': '',
    }
    await addMembers(service, own, Object.fromEntries(Object.keys(names).map((email) => [email, { properties: { points: 1e21 } }])))
    for (const [email, name] of Object.entries(names))
      await service.database.execute('update contacts set first_name = $2 where email = $1', [email, name])
    const sent = await createBroadcast(service, {
      segment_id: own,
      subject: '{{{FIRST_NAME|you}}} {{{points}}} {{{EMAIL}}} {{{UNSUBSCRIBE_URL|here}}}{{{VIEW_URL}}}{{{unheard_of}}} {{{FIRST_NAME}}}',
      html: '<p>{{{FIRST_NAME|you}}}</p><a href="{{{VIEW_URL}}}">View</a><a href="{{{UNSUBSCRIBE_URL}}}">Leave</a>',
      text: '{{{FIRST_NAME|you}}} {{{VIEW_URL}}} {{{UNSUBSCRIBE_URL}}}',
    })
    const links = (text: unknown) => String(text).replace(/(\/(?:share|unsubscribe)\/)[\w.-]+/g, '$1…')
    const shown = new Map<string, unknown>()
    for (const email of Object.keys(names)) {
      const { body } = await service.call('GET', `/broadcasts/${sent}/preview?contact=${email}`)
      const { subject, html, text } = body as Record<string, string>
      shown.set(email, { subject, html: links(html), text: links(text) })
    }
    await service.database.execute(
      `update broadcasts set status = 'queued', due_at = now() - interval '1 second', api_key_id = (select min(id::text)::uuid from api_keys) where id = $1`,
      [sent],
    )
    await doDue(service)
    const mails = new Map<string, unknown>()
    for (const { id: emailId, to } of await emailsOf(service, sent)) {
      const { body } = await service.call('GET', `/emails/${emailId}`)
      const { subject, html, text } = body as Record<string, string>
      mails.set(to, { subject, html: links(html), text: links(text) })
    }
    expect(mails).toEqual(shown)
    expect(mails.get('line@example.org')).toMatchObject({
      subject: 'A Bcc: b@example.org 1000000000000000000000 line@example.org here A Bcc: b@example.org',
      html: expect.stringContaining('href="http://localhost:3000/share/…"'),
    })
  })
})

describe('POST /broadcasts/:broadcast_id/test', () => {
  const test = (body: object) => service.call('POST', `/broadcasts/${id}/test`, { body })

  it('sends an email to each address, with the values of a contact, which does not count', async () => {
    const answer = await test({ to: ['one@example.com', 'two@example.com'], contact: 'ada@example.org' })
    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'broadcast', id, emails: [{ id: UUID }, { id: UUID }] } })
    const { emails } = answer.body as { emails: { id: string }[] }
    const { body } = await service.call('GET', `/emails/${emails[1]?.id}`)
    expect(body).toMatchObject({ to: ['two@example.com'], subject: 'Hi Ada <3', html: expect.stringContaining('<p>Hi Ada &lt;3 42</p>') })
    const [row] = await service.database.execute('select headers, broadcast_id as "broadcastId" from emails where id = $1', [emails[1]?.id])
    expect(row).toMatchObject({
      broadcastId: null,
      headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click', Precedence: 'bulk', 'Feedback-ID': expect.stringContaining(id) },
    })
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft', counts: NO_COUNTS })
  })

  it('links to the email that was sent, and unsubscribes the address', async () => {
    const linked = await createBroadcast(service, {
      segment_id: segmentId,
      html: '<a href="{{{VIEW_URL}}}">View</a><a href="{{{UNSUBSCRIBE_URL}}}">Leave</a>',
    })
    const answer = await service.call('POST', `/broadcasts/${linked}/test`, { body: { to: 'one@example.com' } })
    const { emails } = answer.body as { emails: { id: string }[] }
    const { html } = (await service.call('GET', `/emails/${emails[0]?.id}`)).body as { html: string }
    const [view = '', leave = ''] = [...html.matchAll(/href="http:\/\/localhost:3000(\/[\w./-]+)"/g)].map(([, path]) => path)
    expect((await service.call('GET', view, { token: null })).status).toBe(200)
    expect((await service.call('GET', leave, { token: null })).text).toContain('Unsubscribe from everything')
  })

  it('writes one email at a time, within the room of one request', async () => {
    // With the longest values, it would be refused when it is written.
    const large = await createBroadcast(service, { segment_id: segmentId })
    await service.database.execute('update broadcasts set html = $2, text = $2 where id = $1', [large, 'x'.repeat(3_000_000)])
    const addresses = Array.from({ length: 10 }, (_, index) => `a${index}@example.com`)
    let [atOnce, atOnceMax] = [0, 0]
    const { context } = service.service
    const broadcast = await context.repositories.broadcasts.find(service.teamId, large)
    if (!broadcast) throw new Error('The broadcast is gone')
    const previewOf: typeof context.previewOf = async (preview) => {
      atOnceMax = Math.max(atOnceMax, ++atOnce)
      return context.previewOf(preview).finally(() => (atOnce -= 1))
    }
    const taken: number[] = []
    const writing = testsOfBroadcast({ ...context, previewOf }, service.teamId, {
      broadcast,
      addresses,
      contact: null,
      takeRoom: (bytes) => void taken.push(bytes),
    })
    await expect(writing).rejects.toThrow(
      'The emails of this test have more than 40 million characters together. Send it to fewer addresses.',
    )
    expect({ atOnceMax, taken: taken.length, room: (taken[0] ?? 0) >= 6_000_000 }).toEqual({ atOnceMax: 1, taken: 6, room: true })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no address', { to: [] }, 'The `to` field must not be empty.'],
    [
      'eleven addresses',
      { to: Array.from({ length: 11 }, (_, index) => `a${index}@example.com`) },
      'The `to` field must have at most 10 entries.',
    ],
    [
      'an address that is none',
      { to: ['one@example.com', 'nobody'] },
      expect.stringMatching(/^Email 1 of the batch .*The `to` field must be/),
    ],
  ])('refuses %s', async (_what, body, message) => {
    expect(outcome(await test(body))).toEqual(invalid(message))
  })
})

describe('{{{VIEW_URL}}}', () => {
  it('leads to a page that shows the email of the recipient, and does not expire', async () => {
    const sent = await createBroadcast(service, {
      segment_id: segmentId,
      subject: 'Hi {{{FIRST_NAME|you}}}',
      html: '<p>Hi {{{FIRST_NAME|you}}}</p><a href="{{{VIEW_URL}}}">View</a>',
      send: true,
    })
    await doDue(service)
    const [email] = await emailsOf(service, sent)
    const { body } = await service.call('GET', `/emails/${email?.id}`)
    const { html } = body as { html: string }
    const [, path = ''] = /<a href="http:\/\/localhost:3000(\/share\/[\w.-]+)">View/.exec(html) ?? []
    expect(body).toEqual(emailRecord(email?.id ?? '', { to: ['ada@example.org'], subject: 'Hi Ada <3', html, text: null }))
    const page = await service.call('GET', path, { token: null })
    expect({ status: page.status, html: page.text }).toEqual({
      status: 200,
      html: expect.stringContaining('&lt;p&gt;Hi Ada &amp;lt;3&lt;/p&gt;'),
    })
  })
})
