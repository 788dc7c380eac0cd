// Mail that goes straight to the servers of its recipients, found by the DNS, what these servers and their readers send back to our port, and what the
// readers open and follow.
import { createTransport, type Transporter } from 'nodemailer'
import PostalMime from 'postal-mime'
import { Resend } from 'resend'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TIMESTAMP, UUID } from '../support/builders/answers.ts'
import { createVerifiedDomain } from '../support/builders/domains.ts'
import { untilEvent } from '../support/builders/engine.ts'
import { complaintReport, deliveryReport } from '../support/builders/returned-mail.ts'
import { requestAt } from '../support/clients/raw-requests.ts'
import { until } from '../support/clocks/until.ts'
import { type DnsServer, startDnsServer } from '../support/servers/dns-server.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { type SinkMessage, type SmtpSink, startSmtpSink } from '../support/servers/smtp-sink.ts'

const BROWSER = { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' } }

let dns: DnsServer
let exchanger: SmtpSink
let resend: Resend
let provider: Transporter

beforeAll(async () => {
  exchanger = await startSmtpSink()
  dns = await startDnsServer({ 'example.org': { MX: [[10, 'mx.example.org']] }, 'mx.example.org': { A: ['127.0.0.1'] } })
})
afterAll(() => Promise.all([exchanger.close(), dns.close()]))
const service = shared(() =>
  startTestService({
    directPort: exchanger.port,
    environment: {
      ROLES: 'api,worker,inbound',
      DELIVERY: 'direct',
      MAIL_HOSTNAME: 'mail.posthaste.example',
      PUBLIC_URL: 'https://mail.posthaste.example',
      DNS_SERVERS: dns.address,
    },
  }),
)
beforeAll(async () => {
  const domain = await createVerifiedDomain(service, 'acme.example')
  await service.database.execute(
    `update domains set can_send = true, tracking_host = 'links.acme.example', open_tracking = true, click_tracking = true where id = $1`,
    [domain.id],
  )
  const port = (await service.service.inbound?.listen({ host: '127.0.0.1', port: 0 })) ?? 0
  provider = createTransport({ host: '127.0.0.1', port, name: 'mx.example.org', tls: { rejectUnauthorized: false } })
  resend = new Resend(service.token, { baseUrl: service.url })
})
afterAll(() => provider.close())

/** Sends an email, and waits until the recipient's server has it. */
async function deliver(to: string, html?: string): Promise<{ id: string; received: SinkMessage; messageId: string }> {
  const email = { from: 'Acme <hello@acme.example>', to, subject: 'Your receipt', text: 'Thank you.' }
  const { data } = await resend.emails.send(html === undefined ? email : { ...email, html })
  const id = data?.id ?? ''
  await untilEvent(service, id, 'delivered')
  const received = exchanger.messages.find((message) => message.to.includes(to))
  if (!received) throw new Error(`Nothing has arrived for ${to}`)
  return { id, received, messageId: `<${id}@acme.example>` }
}

const sendBack = (to: string, raw: string) => provider.sendMail({ envelope: { from: '', to }, raw })

const typesOf = async (id: string) => {
  const { body } = await service.call('GET', `/emails/${id}/events`)
  return (body as { data: { type: string }[] }).data.map(({ type }) => type)
}

const suppressed = (email: string, origin: string, sourceId: string) => ({
  data: { object: 'suppression', id: UUID, email, origin, source_id: sourceId, created_at: TIMESTAMP },
  error: null,
  headers: expect.any(Object),
})

it('a bounce that returns after the delivery is seen, and its address gets no more mail', async () => {
  const { id, received, messageId } = await deliver('gone@example.org')
  expect(received.from).toMatch(/^[0-9a-v]{56}@send\.acme\.example$/)

  await sendBack(received.from, deliveryReport([{ address: 'gone@example.org' }], { messageId, returnPath: received.from }))
  await untilEvent(service, id, 'bounced')

  expect(await typesOf(id)).toEqual(['email.bounced', 'email.delivered', 'email.sent'])
  expect(await resend.suppressions.get('gone@example.org')).toEqual(suppressed('gone@example.org', 'bounce', id))
  const next = await resend.emails.send({ from: 'hello@acme.example', to: 'Gone@example.org', subject: 'Again', text: 'Hello.' })
  await untilEvent(service, next.data?.id ?? '', 'suppressed')
  expect(exchanger.messages.filter(({ to }) => to.includes('Gone@example.org'))).toEqual([])
})

it('a complaint is seen, and its address gets no more mail', async () => {
  const { id, received, messageId } = await deliver('annoyed@example.org')

  await sendBack('fbl@mail.posthaste.example', complaintReport({ messageId, returnPath: received.from, to: 'redacted@example.org' }))
  await untilEvent(service, id, 'complained')

  expect(await typesOf(id)).toEqual(['email.complained', 'email.delivered', 'email.sent'])
  expect(await resend.suppressions.get('annoyed@example.org')).toEqual(suppressed('annoyed@example.org', 'complaint', id))
})

it('an open and a click of the mail as its server has it are seen', async () => {
  const { id, received } = await deliver(
    'reader@example.org',
    '<a href="https://shop.acme.example/orders?id=1&amp;from=mail">Your order</a>',
  )
  const { html = '', text } = await PostalMime.parse(received.raw)
  const [link = '', image = ''] = [...html.matchAll(/https:\/\/links\.acme\.example(\/t\/[co]\/[\w-]+)/g)].map(([, path]) => path)
  expect(text?.trim()).toBe('Thank you.')

  const opened = await requestAt(service, 'links.acme.example', image, BROWSER)
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'image/gif'])
  await service.service.context.trackedEvents.flush()
  await untilEvent(service, id, 'opened')
  const clicked = await requestAt(service, 'links.acme.example', link, BROWSER)
  expect([clicked.status, clicked.headers.get('location')]).toEqual([302, 'https://shop.acme.example/orders?id=1&from=mail'])
  await service.service.context.trackedEvents.flush()
  await untilEvent(service, id, 'clicked')

  expect(await typesOf(id)).toEqual(['email.clicked', 'email.opened', 'email.delivered', 'email.sent'])
})

it('what was never sent from here is refused, or changes nothing', async () => {
  const { id, received } = await deliver('here@example.org')
  const forged = `${received.from.startsWith('0') ? '1' : '0'}${received.from.slice(1)}`

  const refused = sendBack(forged, deliveryReport([{ address: 'here@example.org' }]))
  await expect(refused).rejects.toMatchObject({ responseCode: 550 })
  await sendBack(
    'postmaster@mail.posthaste.example',
    deliveryReport([{ address: 'here@example.org' }], { messageId: `<${id}@acme.example>` }),
  )

  await until(async () =>
    expect(await service.database.execute(`select verdict from inbound_messages where purpose = 'postmaster'`)).toEqual([
      { verdict: 'backscatter' },
    ]),
  )
  expect(await typesOf(id)).toEqual(['email.delivered', 'email.sent'])
})

it('the metrics count what came back, each once', async () => {
  await until(async () => {
    const { data } = await resend.emails.metrics({
      metrics: ['delivered', 'bounced', 'bounced_permanent', 'complained', 'suppressed', 'opened', 'clicked'],
    })
    expect(data?.totals).toEqual({ delivered: 4, bounced: 1, bounced_permanent: 1, complained: 1, suppressed: 1, opened: 1, clicked: 1 })
  })
})
