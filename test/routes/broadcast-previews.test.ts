import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emailRecord, invalid, missing, outcome, UUID } from '../support/builders/answers.ts'
import { addMembers, createBroadcast, doDue, emailsOf, NO_COUNTS, readBroadcast } from '../support/builders/broadcasts.ts'
import { addSegment } from '../support/builders/contact-builders.ts'
import { UNKNOWN_ID } from '../support/builders/email-builders.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

let service: TestService
let segmentId: string
let id: string
let contactId: string

beforeAll(async () => {
  service = await startTestService()
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
afterAll(() => service.close())

const preview = (query: string) => service.call('GET', `/broadcasts/${id}/preview${query}`)

const WARNING =
  '`{{{contact.shoe_size}}}` stands for nothing that your contacts have: create the property at POST /contact-properties, or correct the name.'

describe('GET /broadcasts/:broadcast_id/preview', () => {
  const shown = (name: string, escaped: string) => ({
    object: 'broadcast_preview',
    subject: `Hi ${name}`,
    preview_text: `For ${name}`,
    html: `<body><p>Hi ${escaped} 42</p></body>`,
    text: null,
    warnings: [WARNING],
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
