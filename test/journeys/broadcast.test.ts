// The story of a broadcast: from the segment to what its readers do, as the developer and they experience it.
import { expect, it } from 'vitest'
import { addMembers, createBroadcast, emailsOf, readBroadcast } from '../support/builders/broadcasts.ts'
import { addSegment } from '../support/builders/contacts.ts'
import { createWebhook } from '../support/builders/webhooks.ts'
import { requestAt } from '../support/clients/raw-requests.ts'
import { createShiftingClock } from '../support/clocks/clocks.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'
import { startWebhookSink } from '../support/servers/webhook-sink.ts'

const HOST = 'track.example.net'
const READER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const OFFER = 'https://shop.example.com/november'
const [ADA, BOB, CARL] = ['ada@example.org', 'bob@example.org', 'carl@example.org']

const clock = createShiftingClock()

const hooks = shared(() => startWebhookSink(clock))
const sink = shared(() => startSmtpSink())
const service = shared(() =>
  startTestService({
    clock,
    environment: {
      ROLES: 'api,worker',
      SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      ...{ PUBLIC_URL: 'https://mail.example.net', TRACKING_HOST: HOST, TRACKING_DEFAULT: 'opens,clicks' },
    },
  }),
)

/** The headers and the HTML that arrived. */
function mailTo(address: string): { head: string; html: string } {
  const raw = sink.messages.find(({ to }) => to.includes(address))?.raw ?? ''
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const decoded = rest
    .join('\r\n\r\n')
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { head: head.replace(/\r\n[\t ]+/g, ' '), html: decoded.slice(decoded.indexOf('<html>')).replaceAll('&amp;', '&') }
}

const pathIn = (text: string, pattern: RegExp): string => new URL(pattern.exec(text)?.[1] ?? 'missing:').pathname

const listed = async (id: string, type: string) => {
  const { body } = await service.call('GET', `/broadcasts/${id}/recipients?type=${type}`)
  return (body as { data: { email: string }[] }).data.map(({ email }) => email).toSorted()
}

it('a broadcast is read, followed and unsubscribed from, and anyone who unsubscribed does not get the next one', async () => {
  const segmentId = await addSegment(service)
  await addMembers(service, segmentId, { [ADA]: { first_name: 'Ada <3' }, [BOB]: {} })
  await createWebhook(service, { endpoint: `${hooks.url}/all`, events: ['email.opened', 'email.clicked'] })
  const html = `<html><body><p>Hello {{{FIRST_NAME|there}}}</p><a href="${OFFER}">Offer</a> <a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></body></html>`
  const id = await createBroadcast(service, { segment_id: segmentId, subject: 'For {{{FIRST_NAME|you}}}', html, send: true })
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status: 'sent', counts: { delivered: 2 } }))
  const [ada, bob] = [mailTo(ADA), mailTo(BOB)]
  expect(ada.html).toContain('<p>Hello Ada &lt;3</p>')
  expect(bob.html).toContain('<p>Hello there</p>')
  expect(ada.head).toContain('Subject: For Ada <3')

  // What is opened within seconds of the delivery is taken for the work of a program.
  clock.shift(60_000)
  await requestAt(service, HOST, pathIn(ada.html, /<img src="([^"]+)"/), { headers: READER })
  const followed = await requestAt(service, HOST, pathIn(ada.html, /<a href="([^"]+)">Offer/), { headers: READER })
  expect({ status: followed.status, location: followed.headers.get('location') }).toEqual({ status: 302, location: OFFER })
  await until(async () => expect((await readBroadcast(service, id)).counts).toMatchObject({ opened: 1, clicked: 1 }))
  expect({ opened: await listed(id, 'opened'), clicked: await listed(id, 'clicked') }).toEqual({ opened: [ADA], clicked: [ADA] })
  const { body: links } = await service.call('GET', `/broadcasts/${id}/clicked-links`)
  expect(links).toMatchObject({ data: [{ url: OFFER, clicks: 1, unique_clicks: 1 }] })
  const { body: metrics } = await service.call(
    'GET',
    `/emails/metrics?broadcast_id=${id}&metrics=sent,delivered,unique_opened,unique_clicked`,
  )
  expect(metrics).toMatchObject({ totals: { sent: 2, delivered: 2, unique_opened: 1, unique_clicked: 1 } })
  const [email] = await emailsOf(service, id)
  await until(() => expect(hooks.hooks.map(({ type }) => type).toSorted()).toEqual(['email.clicked', 'email.opened']))
  expect(hooks.hooks.map(({ data }) => ({ email: data.email_id, broadcast: data.broadcast_id }))).toEqual(
    hooks.hooks.map(() => ({ email: email?.id, broadcast: id })),
  )

  // Ada uses the page, Bob the button of the mail program.
  const page = pathIn(ada.html, /<a href="([^"]+)">Unsubscribe/)
  expect((await fetch(`${service.url}${page}`)).status).toBe(200)
  await fetch(`${service.url}${page}`, { method: 'POST', body: new URLSearchParams({ act: 'unsubscribe' }) })
  const oneClick = pathIn(bob.head, /List-Unsubscribe: <([^>]+)>/)
  await fetch(`${service.url}${oneClick}`, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  await until(async () => expect((await readBroadcast(service, id)).counts).toMatchObject({ unsubscribed: 2 }))
  expect(await listed(id, 'unsubscribed')).toEqual([ADA, BOB])

  await addMembers(service, segmentId, { [CARL]: {} })
  sink.messages.length = 0
  const next = await createBroadcast(service, { segment_id: segmentId, html, send: true })
  await until(async () =>
    expect(await readBroadcast(service, next)).toMatchObject({ status: 'sent', counts: { recipients: 1, delivered: 1 } }),
  )
  expect(sink.messages.flatMap(({ to }) => to)).toEqual([CARL])
})
