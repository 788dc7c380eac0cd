import { beforeEach, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { startOtlpReceiver } from '../support/servers/otlp-receiver.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const receiver = shared(() => startOtlpReceiver())
const service = shared(() =>
  startTestService({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_METRICS_EXPORTER: 'none',
      METRICS_TOKEN: 'metrics-token-of-the-test',
    },
  }),
)

beforeEach(() => {
  receiver.spans.length = 0
})

const theSpan = () => until(() => receiver.spans.find(({ kind }) => kind === 'server') ?? Promise.reject(new Error('There is no span yet')))

it('names the route, the operation, the status and the team', async () => {
  const { headers } = await service.call('GET', '/contacts/ada%40example.org', { headers: { traceparent: PARENT } })
  const span = await theSpan()
  expect(span).toMatchObject({ kind: 'server', isError: false, traceId: PARENT.slice(3, 35), parentSpanId: PARENT.slice(36, 52) })
  expect(span.name).toMatch(/^GET \/contacts\/:\w+$/)
  expect(span.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': span.name.slice(4),
    'http.response.status_code': 404,
    'posthaste.operation': 'contacts.retrieve',
    'posthaste.request.id': headers.get('x-request-id'),
    'posthaste.team.id': service.teamId,
  })
})

it('counts a request that was refused before it had a team, and one without a route', async () => {
  const { status } = await service.call('GET', '/emails', { token: 're_wrong' })
  expect(await theSpan()).toMatchObject({ name: 'GET /emails', isError: false, attributes: { 'http.response.status_code': status } })
  receiver.spans.length = 0
  await service.call('GET', '/nowhere/ada%40example.org?key=re_1')
  const span = await theSpan()
  expect(span).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 404 } })
  expect(span.attributes).not.toHaveProperty('http.route')
})

it('ends when the client has gone', async () => {
  const leaving = new AbortController()
  const hook = await service.call('POST', '/webhooks', { body: { endpoint: null, events: ['contact.created'] } })
  const { id } = hook.body as { id: string }
  await until(() => expect(receiver.spans).toHaveLength(1))
  receiver.spans.length = 0
  const feed = fetch(`${service.url}/webhooks/${id}/feed?after=now&wait=25`, {
    headers: { authorization: `Bearer ${service.token}` },
    signal: leaving.signal,
  })
  const server = service.service.app?.server
  await new Promise((resolve) => server?.once('request', resolve))
  leaving.abort()
  await expect(feed).rejects.toThrow()
  const span = await theSpan()
  expect(span).toMatchObject({ isError: true, attributes: { 'error.type': 'client_gone' } })
  expect(span.attributes).not.toHaveProperty('http.response.status_code')
})

it('does not let readers of pages choose what is recorded', async () => {
  await service.call('GET', '/', { token: null, headers: { traceparent: PARENT } })
  const span = await theSpan()
  expect(span.parentSpanId).toBe('')
  expect(span.traceId).not.toBe(PARENT.slice(3, 35))
})

it('leaves out the probes of monitors', async () => {
  await service.call('GET', '/health/live')
  await service.call('GET', '/health/ready')
  await service.call('GET', '/metrics', { token: 'metrics-token-of-the-test' })
  await service.call('GET', '/emails')
  expect((await theSpan()).name).toBe('GET /emails')
  expect(receiver.spans).toHaveLength(1)
})

it('never sends a secret', () => {
  for (const secret of [service.token, 're_wrong', 're_1', 'metrics-token-of-the-test', 'ada@', 'ada%40'])
    expect(receiver.sent()).not.toContain(secret)
})
