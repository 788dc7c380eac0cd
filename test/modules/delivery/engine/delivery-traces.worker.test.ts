import { beforeAll, beforeEach, expect, it } from 'vitest'
import { emailInput, send } from '../../../support/builders/emails.ts'
import { createWebhook } from '../../../support/builders/webhooks.ts'
import { until } from '../../../support/clocks/until.ts'
import { file, startHttpSink } from '../../../support/servers/http-sink.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { type ReceivedSpan, startOtlpReceiver } from '../../../support/servers/otlp-receiver.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { startWebhookSink } from '../../../support/servers/webhook-sink.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`
const UNSAMPLED = `00-${TRACE}-b7ad6b7169203331-00`
const UNKNOWN = 'unknown.person@example.org'

const receiver = shared(() => startOtlpReceiver())
const files = shared(() => startHttpSink({ '/report.pdf': file('report') }))
const hooks = shared(() => startWebhookSink())
const service = shared(() =>
  startRelayService({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_METRICS_EXPORTER: 'none' },
    sink: { onRecipient: (to) => (to === UNKNOWN ? { code: 550, text: `5.1.1 <${UNKNOWN}> is unknown here` } : undefined) },
  }),
)
beforeAll(async () => {
  await createWebhook(service, { endpoint: `${hooks.url}/secret-path`, events: ['email.delivered', 'email.bounced', 'contact.created'] })
  service.startWorker()
})

beforeEach(() => {
  receiver.spans.length = 0
  hooks.hooks.length = 0
})

const named = (name: string): ReceivedSpan[] => receiver.spans.filter((span) => span.name === name)
const untilNamed = (name: string, count = 1) =>
  until(() => {
    expect(named(name)).toHaveLength(count)
    return named(name)
  })
const ofTrace = (span: ReceivedSpan | undefined, parent: ReceivedSpan | undefined) =>
  expect({ traceId: span?.traceId, parentSpanId: span?.parentSpanId }).toEqual({ traceId: parent?.traceId, parentSpanId: parent?.spanId })

it('follows an email from the request of a client to the webhook', async () => {
  const emailId = await send(service, { to: 'ann@example.org' }, { headers: { traceparent: PARENT } })
  const [hook] = await untilNamed('POST')
  const [request] = await untilNamed('POST /emails')
  const [accept] = await untilNamed('accept emails')
  const [delivery] = await untilNamed('deliver email')
  const [attempt] = await untilNamed('attempt delivery')
  expect(request).toMatchObject({ kind: 'server', traceId: TRACE, parentSpanId: 'b7ad6b7169203331' })
  ofTrace(accept, request)
  ofTrace(delivery, accept)
  ofTrace(attempt, delivery)
  ofTrace(hook, accept)
  const ids = { 'posthaste.email.id': emailId, 'posthaste.team.id': service.teamId }
  expect(accept).toMatchObject({ kind: 'internal', attributes: { ...ids, 'posthaste.emails': 1 } })
  expect(delivery).toMatchObject({ kind: 'consumer', isError: false, attributes: { ...ids, 'posthaste.outcome': 'delivered' } })
  expect(attempt).toMatchObject({
    kind: 'client',
    isError: false,
    attributes: {
      'server.address': '127.0.0.1',
      'posthaste.smtp.reply_code': 250,
      'posthaste.outcome': 'delivered',
      'posthaste.attempt': 1,
    },
  })
  expect(hook).toMatchObject({
    kind: 'client',
    isError: false,
    attributes: { 'http.response.status_code': 200, 'server.address': '127.0.0.1', 'posthaste.event': 'email.delivered' },
  })
  // The endpoint can continue it.
  expect(hooks.hooks[0]?.headers.traceparent).toBe(`00-${TRACE}-${hook?.spanId}-01`)
})

it('follows each email of a batch, and begins a trace where the client has none', async () => {
  const batch = ['a@example.org', 'b@example.org'].map((to) => emailInput({ to }))
  await service.call('POST', '/emails/batch', { body: batch, headers: { traceparent: 'nonsense' } })
  const attempts = await untilNamed('attempt delivery', 2)
  const [accept] = await untilNamed('accept emails')
  expect(accept?.attributes).toMatchObject({ 'posthaste.emails': 2 })
  expect(accept?.traceId).not.toBe(TRACE)
  expect(attempts.map(({ traceId }) => traceId)).toEqual([accept?.traceId, accept?.traceId])
  await untilNamed('POST', 2)
})

it('says how a server refused, in no words that name the recipient', async () => {
  await send(service, { to: UNKNOWN }, { headers: { traceparent: PARENT } })
  const [attempt] = await untilNamed('attempt delivery')
  expect(attempt).toMatchObject({
    isError: true,
    attributes: { 'posthaste.smtp.reply_code': 550, 'posthaste.smtp.enhanced_code': '5.1.1', 'posthaste.outcome': 'bounced' },
  })
  await untilNamed('POST')
})

it('records nothing where the client says so, and tells the endpoint', async () => {
  await send(service, { to: 'quiet@example.org' }, { headers: { traceparent: UNSAMPLED } })
  await until(() => expect(hooks.hooks).toHaveLength(1))
  expect(hooks.hooks[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
  // What is recorded later has arrived, so nothing of this email is on its way.
  await service.call('GET', '/emails')
  await untilNamed('GET /emails')
  expect(receiver.spans).toHaveLength(1)
})

it('follows an email through the job that fetches its files', async () => {
  await send(
    service,
    { to: 'ann@example.org', attachments: [{ path: `${files.url}/report.pdf`, filename: 'report.pdf' }] },
    { headers: { traceparent: PARENT } },
  )
  const [job] = await until(() => {
    const jobs = receiver.spans.filter(({ name }) => name.startsWith('job '))
    expect(jobs).toHaveLength(1)
    return jobs
  })
  const [accept] = await untilNamed('accept emails')
  ofTrace(job, accept)
  const [delivery] = await untilNamed('deliver email')
  ofTrace(delivery, accept)
  await untilNamed('POST')
})

it('says that a suppressed recipient was not tried', async () => {
  await service.call('POST', '/suppressions', { body: { email: 'gone@example.org' } })
  await send(service, { to: 'gone@example.org' })
  const [delivery] = await untilNamed('deliver email')
  expect(delivery?.attributes).toMatchObject({ 'posthaste.outcome': 'suppressed' })
  expect(named('attempt delivery')).toEqual([])
})

it('begins a trace for an event that is not about an email', async () => {
  await service.call('POST', '/contacts', { body: { email: 'new@example.org' } })
  const [hook] = await untilNamed('POST')
  expect(hook).toMatchObject({ parentSpanId: '', attributes: { 'posthaste.event': 'contact.created' } })
})

it('has sent no address of a person, no path of an endpoint and no key', () => {
  const sent = receiver.sent()
  for (const word of ['ann@', 'unknown.person', 'quiet@', 'gone@', 'example.org', 'secret-path', 'report.pdf', service.token])
    expect(sent).not.toContain(word)
})

it('keeps no trace and sends no header where none are exported', async () => {
  const plain = await startTestService({ environment: { ROLES: 'api,worker' } })
  try {
    await createWebhook(plain, { endpoint: `${hooks.url}/plain`, events: ['email.delivered'] })
    await send(plain, { to: 'delivered@simulator.test' }, { headers: { traceparent: PARENT } })
    await until(() => expect(hooks.hooks).toHaveLength(1))
    expect(hooks.hooks[0]?.headers).not.toHaveProperty('traceparent')
    expect(await plain.database.execute('select traceparent from emails')).toEqual([{ traceparent: null }])
    expect(plain.service.context.tracing).toBeNull()
  } finally {
    await plain.close()
  }
})
