// Links with which anyone changes what a person gets, in replies to credentials that may not change contacts.
import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_TOKEN, withoutPersonalLinks } from '../../../src/lib/personal-links.ts'
import { type Rendered, readHtmlText, render } from '../../../src/mail/rendering/rendering.ts'
import { toWebhookPayload } from '../../../src/modules/webhooks/payloads/webhook-payloads.ts'
import { automationInput, chain, trigger } from '../../support/builders/automations.ts'
import { send } from '../../support/builders/emails.ts'
import { receiveEmail } from '../../support/builders/received-emails.ts'
import { createContact, isUnsubscribed, linkTo, submit, visitPage } from '../../support/builders/topics.ts'
import { grantedToken } from '../../support/clients/oauth-client.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
const LIVE_LINK = /\/unsubscribe\/\d+\.[\w-]+\.[\w-]{43}/
const EXAMPLE = `http://localhost:3000/unsubscribe/${EXAMPLE_TOKEN}`

let contact: string
let path: string
let url: string
let reader: string
let writer: string

const granted = (scope: string) => grantedToken(service, scope)

beforeAll(async () => {
  contact = await createContact(service, 'ada@example.com')
  path = await linkTo(service, contact)
  url = `http://localhost:3000${path}`
  reader = await granted('emails:read received-emails:read logs:read webhooks:read contacts:read')
  writer = await granted('emails:read received-emails:read contacts:write')
})

const mail = () => ({
  subject: `Leave at ${url}`,
  html: `<a href="${url}">Leave</a><a href="https://x.example/?to=${encodeURIComponent(url)}">Leave</a>`,
  text: `Leave: ${url}`,
  headers: { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
})

const get = async (address: string, token: string) => (await service.call('GET', address, { token })).text
const tokenOf = () => path.slice('/unsubscribe/'.length)

describe('a credential that may not change contacts', () => {
  it('gets no link from the operation that makes one', async () => {
    const { status, body } = await service.call('GET', `/contacts/${contact}/unsubscribe-link`, { token: reader })
    expect([status, body]).toEqual([403, expect.objectContaining({ message: expect.stringContaining('`contacts:write`') })])
    expect((await service.call('GET', `/contacts/${contact}/unsubscribe-link`, { token: writer })).status).toBe(200)
  })

  it('sees an example in the content of an email, and one that may sees the link', async () => {
    const id = await send(service, mail())
    const shown = await get(`/emails/${id}`, reader)
    expect(shown).not.toContain(tokenOf())
    expect(shown).toContain(EXAMPLE)
    expect(await get(`/emails/${id}`, writer)).toContain(tokenOf())
    expect(await get(`/emails/${id}`, service.token)).toContain(tokenOf())
  })

  const multipart = (type: string, name: string, content: string) =>
    [
      'From: ada@example.org',
      'To: support@example.com',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=outer',
      '',
      '--outer',
      'Content-Type: text/plain',
      '',
      'Hello',
      '--outer',
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(content).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
      '--outer--',
      '',
    ].join('\r\n')

  it.each([
    ['an HTML page', 'text/html', 'copy.html', () => `${'.'.repeat(65_500)}<a href="${url}">Leave</a>`],
    ['a message without a type', 'application/octet-stream', 'copy.eml', () => 'Subject: Hello\r\n\r\nHello'],
  ])('downloads neither %s with such a link nor the raw message around it', async (_name, type, name, content) => {
    const id = await receiveEmail(service, { content: multipart(type, name, content()) })
    const linksFor = async (token: string) => {
      const { data } = JSON.parse(await get(`/emails/receiving/${id}/attachments`, token)) as {
        data: { id: string; download_url: string }[]
      }
      const one = JSON.parse(await get(`/emails/receiving/${id}/attachments/${data[0]?.id}`, token)) as { download_url: string }
      const { raw } = JSON.parse(await get(`/emails/receiving/${id}`, token)) as { raw: object | null }
      return [data[0]?.download_url, one.download_url, raw]
    }
    expect(await linksFor(reader)).toEqual([null, null, null])
    expect(await linksFor(writer)).not.toContain(null)
  })

  it('downloads no raw message of which something was left out', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
    ).join('')
    const id = await receiveEmail(service, { content: `From: a@example.com\r\nTo: b@example.com\r\n${levels}Deep` })
    const rawFor = async (token: string) =>
      JSON.parse(await get(`/emails/receiving/${id}`, token)) as { raw: object | null; problem: string | null }
    expect(await rawFor(reader)).toMatchObject({ raw: null, problem: expect.stringContaining('levels') })
    expect((await rawFor(writer)).raw).not.toBeNull()
  })

  it('downloads no raw message with such a link in an alternative that is not shown', async () => {
    const html = (content: string) =>
      `--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${content.replaceAll(/.{70}/g, '$&=\r\n')}\r\n`
    const rawOf = async (first: string) => {
      const content = `From: a@example.com\r\nTo: b@example.com\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n${html(first)}${html('<p>Hello</p>')}--b--\r\n`
      const shown = await get(`/emails/receiving/${await receiveEmail(service, { content })}`, reader)
      return (JSON.parse(shown) as { raw: object | null }).raw
    }
    expect(await rawOf(`<a href=3D"${url}">Leave</a>`)).toBeNull()
    expect(await rawOf('<p>Good day</p>')).not.toBeNull()
  })

  it('downloads another file', async () => {
    const id = await receiveEmail(service, { content: multipart('text/html', 'page.html', '<p>Hello</p>') })
    expect(await get(`/emails/receiving/${id}/attachments`, reader)).toContain('/downloads/')
  })

  it('sees an example in the body of a log', async () => {
    await send(service, mail())
    await service.service.context.repositories.requestLogs.flush()
    const { data } = JSON.parse(await get('/logs', service.token)) as { data: { id: string; endpoint: string; method: string }[] }
    const sent = data.find(({ endpoint, method }) => endpoint === '/emails' && method === 'POST')?.id
    expect(await get(`/logs/${sent}`, service.token)).toContain(tokenOf())
    expect(await get(`/logs/${sent}`, reader)).toContain(EXAMPLE)
    expect(await get(`/logs/${sent}`, reader)).not.toContain(tokenOf())
  })

  it('sees an example in the preview of a broadcast and in the simulation of an automation', async () => {
    const segment = await create(service, '/segments', { name: 'All' })
    const html = '<a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Leave</a>'
    const content = { from: 'hello@example.com', subject: 'News', html }
    const broadcast = await create(service, '/broadcasts', { segment_id: segment, ...content })
    const template = await create(service, '/templates', { name: 'News', ...content })
    await create(service, `/templates/${template}/publish`, {})
    const automation = await create(service, '/automations', {
      ...automationInput({ class: 'bulk' }),
      ...chain([trigger(), { key: 'mail', type: 'send_email', config: { template: { id: template } } }]),
    })
    const scope = 'broadcasts:read automations:write contacts:read templates:read'
    const [without, withWrite] = [await granted(scope), await granted(`${scope} contacts:write`)]
    const preview = (token: string) => get(`/broadcasts/${broadcast}/preview?contact=${contact}`, token)
    const simulation = async (token: string) =>
      (await service.call('POST', `/automations/${automation}/simulate`, { token, body: { contact_id: contact } })).text
    for (const shown of [preview, simulation]) {
      expect(await shown(without)).toContain(`/unsubscribe/${EXAMPLE_TOKEN}`)
      expect(await shown(without)).not.toMatch(LIVE_LINK)
      expect(await shown(withWrite)).toMatch(LIVE_LINK)
    }
  })

  it('sees an example in a received copy, and gets no raw message of it', async () => {
    const { html, text, subject } = mail()
    const id = await receiveEmail(service)
    await service.database.execute('update received_emails set html = $2, text = $3, subject = $4 where id = $1', [id, html, text, subject])
    const shown = await get(`/emails/receiving/${id}`, reader)
    expect(shown).not.toContain(tokenOf())
    expect(JSON.parse(shown)).toMatchObject({ text: `Leave: ${EXAMPLE}`, raw: null })
    expect(await get('/emails/receiving', reader)).not.toContain(tokenOf())
    const whole = await get(`/emails/receiving/${id}`, writer)
    expect(whole).toContain(tokenOf())
    expect(JSON.parse(whole)).toMatchObject({ raw: { download_url: expect.any(String) } })
    const other = await receiveEmail(service)
    expect(JSON.parse(await get(`/emails/receiving/${other}`, reader))).toMatchObject({ raw: { download_url: expect.any(String) } })
  })
})

it.each(['html', 'text'])('a shared email has the example, for it is passed on: %s', async (shownAs) => {
  const { html, ...others } = mail()
  const id = await send(service, shownAs === 'html' ? { ...others, html } : others)
  const { body } = await service.call('POST', `/emails/${id}/share`, { body: {} })
  const { pathname } = new URL((body as { url: string }).url)
  const shown = await service.call('GET', pathname, { token: null })
  expect(shown.status).toBe(200)
  expect(shown.text).not.toContain(tokenOf())
  expect(shown.text).toContain(`/unsubscribe/${EXAMPLE_TOKEN}`)
})

it('an event of a webhook has the example in its headers and its subject, for everyone', () => {
  const { subject, headers } = mail()
  const createdAt = new Date('2026-11-20T12:00:00Z')
  const names = {
    messageId: '<a@example.com>',
    createdAt,
    from: 'a@example.com',
    broadcastId: null,
    templateId: null,
    tags: [],
    traceparent: null,
  }
  const email = { ...names, subject, headers: { 'List-Unsubscribe': headers['List-Unsubscribe'] } }
  const content = { type: 'email.sent' as const, createdAt, isTest: false, data: { to: ['ada@example.com'] }, email, subjectId: contact }
  expect(toWebhookPayload(content)?.data).toMatchObject({
    subject: `Leave at ${EXAMPLE}`,
    headers: [{ name: 'List-Unsubscribe', value: `<${EXAMPLE}>` }],
  })
})

it('the example shows a page that says so, and changes nothing by any form', async () => {
  const page = await visitPage(service, `/unsubscribe/${EXAMPLE_TOKEN}`)
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('It changes nothing.')])
  for (const form of [{ act: 'unsubscribe' }, { 'List-Unsubscribe': 'One-Click' }])
    expect((await submit(service, `/unsubscribe/${EXAMPLE_TOKEN}`, form)).status).toBe(200)
  expect(await isUnsubscribed(service, contact)).toBe(false)
})

describe('a link is found', () => {
  const token = `1.${'a'.repeat(120)}.${'b'.repeat(43)}`
  it.each([
    [`https://mail.example.com/unsubscribe/${token}`, 'https://mail.example.com/unsubscribe/example'],
    [
      `https://x.example/?u=https%3A%2F%2Fmail.example.com%2Funsubscribe%2F${token}&b`,
      'https://x.example/?u=https%3A%2F%2Fmail.example.com%2Funsubscribe%2Fexample&b',
    ],
    [`x%252Funsubscribe%252f${token}.`, 'x%252Funsubscribe%252fexample.'],
    [`<a href="/unsubscribe&#x2F;${token}">`, '<a href="/unsubscribe&#x2F;example">'],
    [`{"u":"https:\\/\\/x.example\\/unsubscribe\\/${token}"}`, '{"u":"https:\\/\\/x.example\\/unsubscribe\\/example"}'],
    [`unsubscribe%2f${token.replaceAll('.', '%2E')}`, 'unsubscribe%2fexample'],
    [`unsubscribe&#x002F;${token.replaceAll('.', '&#046;')}`, 'unsubscribe&#x002F;example'],
    [`unsubscribe/${token.replaceAll('.', '=2E')}`, 'unsubscribe/example'],
    [`unsubscribe/${token.replaceAll(/.{50}/g, '$&\n> ')}`, 'unsubscribe/example'],
    [`unsubscribe/${token.replaceAll(/.{70}/g, '$&=\r\n')}`, 'unsubscribe/example'],
    [`unsubscribe/${token.replaceAll(/.{30}/g, '$&<wbr>')}`, 'unsubscribe/example'],
    [`/share/${token}`, `/share/${token}`],
  ])('in %s', (text, shown) => expect(withoutPersonalLinks(text)).toBe(shown))

  it.each(['<a href={{{L}}}>', '<!--[if mso]><v:rect href="{{{L}}}"><![endif]-->', '<a href="https://x.example/?u={{{L}}}">', '{{{L}}}'])(
    'wherever a placeholder has put it: %s',
    async (source) => {
      const link = `https://mail.example.com/unsubscribe/1.${'a-_B'.repeat(30)}.${'b-_'.repeat(14)}b`
      const { text } = render(await readHtmlText(source), () => ({ text: link, fallback: null, isRaw: false }), 10_000) as Rendered
      expect(withoutPersonalLinks(text)).toMatch(/unsubscribe(?:\/|%2F|&#47;)example(?!.*B)/)
    },
  )
})
