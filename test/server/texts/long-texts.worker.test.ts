// Texts that are too long for the main thread are worked on elsewhere: the test service fails where one is not.
import PostalMime from 'postal-mime'
import { beforeAll, expect, it } from 'vitest'
import { addAutomation, graphOf } from '../../support/builders/automations.ts'
import { addMembers, createBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { emailInput } from '../../support/builders/emails.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { until } from '../../support/clocks/until.ts'
import { startRelayService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const LONG = 'abcd '.repeat(20_000)
/** A short template with such a value is long, and so is one that has a short value many times. */
const TEMPLATES: [string, string, string][] = [
  ['that is long', `<p>${LONG}</p>{{{NAME}}}`, 'Ann'],
  ['with a long value', '<p>{{{NAME}}}</p>', LONG],
  ['with a value that stands many times', '<p>{{{NAME}}}</p>'.repeat(1_000), 'Ann '.repeat(20)],
]

let segmentId: string
const service = shared(() => startRelayService())
beforeAll(async () => {
  segmentId = await addSegment(service)
  await addMembers(service, segmentId, { 'ada@example.org': { first_name: 'Ada <3' } })
  service.startWorker()
})

const post = (path: string, body: object) => service.call('POST', path, { body })

async function received(address: string) {
  await until(() => expect(service.sink.messages.flatMap(({ to }) => to)).toContain(address))
  return PostalMime.parse(service.sink.messages.find(({ to }) => to.includes(address))?.raw ?? '')
}

const unbroken = (text: string | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()

it.each(TEMPLATES)('a template %s is sent, alone and in a batch, and shown', async (name, html, value) => {
  const template = await publishedTemplate(service, { subject: 'News', html, variables: [{ key: 'NAME', type: 'string' }] })
  const filled = html.replaceAll('{{{NAME}}}', value)
  const [alone, together] = ['alone', 'together'].map((word) => `${word}.${name.replaceAll(' ', '.')}@example.org`)
  const email = (to: string | undefined) =>
    emailInput({ to, template: { id: template, variables: { NAME: value } }, subject: undefined, text: undefined, html: undefined })
  expect((await post('/emails', email(alone))).status).toBe(200)
  expect((await post('/emails/batch', [email(together)])).status).toBe(200)
  expect((await post(`/templates/${template}/render`, { variables: { NAME: value } })).body).toMatchObject({ html: filled })
  for (const address of [alone, together]) {
    const message = await received(address ?? '')
    expect(unbroken(message.html)).toBe(unbroken(filled))
    expect(unbroken(message.text)).toContain(unbroken(value.slice(0, 20)))
  }
})

it.each(TEMPLATES)('a template %s is what an automation would send', async (_name, html, value) => {
  const template = await publishedTemplate(service, { subject: 'News', html, variables: [{ key: 'NAME', type: 'string' }] })
  const config = { template: { id: template, variables: { NAME: value.slice(0, 60_000) } } }
  const automation = await addAutomation(service, graphOf([{ key: 'mail', type: 'send_email', config }]))
  const { status, body } = await post(`/automations/${automation}/simulate`, { email: 'new@example.org' })
  expect(status).toBe(200)
  expect(JSON.stringify(body)).toContain(html.slice(0, 3))
})

it('a request is refused for what a long template has no value for, as for a short one', async () => {
  const template = await publishedTemplate(service, { html: `${LONG}{{{NAME}}}`, variables: [{ key: 'NAME', type: 'string' }] })
  const email = emailInput({ template: { id: template }, text: undefined, html: undefined })
  expect(await post('/emails', email)).toMatchObject({ status: 422, body: { message: /template\.variables\.NAME/ } })
  const wrong = await post(`/templates/${template}/render`, { variables: { NAME: 1 } })
  expect(wrong).toMatchObject({ status: 422, body: { message: /must be a string/ } })
})

it('a long broadcast is shown and sent', async () => {
  const html = `<body><p>Hi {{{FIRST_NAME|you}}}</p><a href="https://example.com/?to={{{EMAIL}}}">${LONG}</a></body>`
  const id = await createBroadcast(service, { segment_id: segmentId, html, preview_text: 'For {{{FIRST_NAME}}}' })
  const filled = html.replace('{{{FIRST_NAME|you}}}', 'Ada &lt;3').replace('{{{EMAIL}}}', 'ada%40example.org')
  const shown = await service.call('GET', `/broadcasts/${id}/preview?contact=ada@example.org`)
  expect(shown).toMatchObject({ status: 200, body: { html: filled, preview_text: 'For Ada <3' } })
  expect((await post(`/broadcasts/${id}/send`, {})).status).toBe(200)
  const message = await received('ada@example.org')
  expect(unbroken(message.text)).toMatch(/^Hi Ada <3 abcd/)
  expect(message.html).toContain('>For Ada &lt;3')
  const { body } = await service.call('GET', '/emails?to=ada@example.org')
  const [email] = (body as { data: { id: string }[] }).data
  expect((await service.call('GET', `/emails/${email?.id}`)).body).toMatchObject({ html: filled })
})

it.each([
  ['words', 'Grüße. '],
  ['a script that is not Latin', '東京 '],
])('a long email of %s is sent with files and without', async (_what, words) => {
  const [html, text] = [`<p>${words.repeat(30_000)}</p>`, words.repeat(30_000)]
  for (const [index, attachments] of [[], [{ filename: 'a.txt', content: 'YQ==' }]].entries()) {
    const to = `${words.charCodeAt(0)}.${index}@example.org`
    expect((await post('/emails', emailInput({ to, html, text, attachments }))).status).toBe(200)
    const message = await received(to)
    expect([message.html, message.text].map(unbroken)).toEqual([html, text].map(unbroken))
    expect(message.attachments).toHaveLength(index)
  }
})

it('a long email is shared with its beginning, and with whether it has images of other servers', async () => {
  const html = `<p>${LONG}</p><img src="https://other.example/a.png">`
  const { body } = await post('/emails', emailInput({ html }))
  const { url } = (await post(`/emails/${(body as { id: string }).id}/share`, {})).body as { url: string }
  const shared = await service.call('GET', new URL(url).pathname, { token: null })
  expect(shared.text).toContain(LONG)
  expect(shared.text).toContain('Images from other servers are not loaded')
})
