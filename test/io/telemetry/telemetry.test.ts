import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { createMetrics } from '../../../src/io/metrics.ts'
import type { LossReason, Signal } from '../../../src/io/telemetry/metric-export.ts'
import { createTelemetry, type Telemetry } from '../../../src/io/telemetry/telemetry.ts'
import type { Tracing } from '../../../src/lib/tracing.ts'
import { until } from '../../support/clocks/until.ts'
import { silence, status } from '../../support/servers/http-sink.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../../support/servers/otlp-receiver.ts'

/** Longer than any test: what is sent before was not waited for. */
const NEVER = '600000'
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const UNSAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'

let receiver: OtlpReceiver
let open: Telemetry[] = []
beforeEach(async () => {
  receiver = await startOtlpReceiver()
})
afterEach(async () => {
  await receiver.close()
  await Promise.all(open.map((telemetry) => telemetry.close()))
  open = []
})

type Opened = Telemetry & {
  tracing: Tracing
  lost: { signal: Signal; reason: LossReason; count: number }[]
  said: string[]
  errors: string[]
}

function start(environment: Record<string, string> = {}, { url = receiver.url, flushMs = 20_000 } = {}): Opened {
  const config = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_METRICS_EXPORTER: 'none',
    ...environment,
  })
  if (config.telemetry === null) throw new Error('Telemetry is off')
  const lost: Opened['lost'] = []
  const said: string[] = []
  const errors: string[] = []
  const { registry, requests, requestSeconds } = createMetrics()
  requests.inc({ operation: 'emails.send', status: '200' }, 3)
  for (const seconds of [0.0005, 0.03, 0.04, 60]) requestSeconds.observe({ operation: 'emails.send' }, seconds)
  const telemetry = createTelemetry(config.telemetry, {
    flushMs,
    readSeries: () => registry.getMetricsAsJSON(),
    onLost: (signal, reason, count) => void lost.push({ signal, reason, count }),
    onProblem(problem, { error }) {
      said.push(problem)
      if (error) errors.push(`${error.message} ${error.stack}`)
    },
    onRecovery: (recovery) => void said.push(recovery),
  })
  open.push(telemetry)
  const { tracing } = telemetry
  if (tracing === null) throw new Error('There are no traces')
  return { ...telemetry, tracing, lost, said, errors }
}

const span = ({ tracing }: Pick<Opened, 'tracing'>, name: string, traceparent: string | null = null) =>
  tracing.begin(name, { kind: 'internal', traceparent })

const names = () => receiver.spans.map(({ name }) => name)

it('sends spans with their kind, attributes and parents, and says whose they are', async () => {
  const telemetry = start({ OTEL_SERVICE_NAME: 'mail', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%20b' })
  const outer = telemetry.tracing.begin('outer', { kind: 'server', traceparent: PARENT, attributes: { text: 'word' } })
  outer.child('inner', { kind: 'client' }).end({ isError: true, attributes: { count: 7, isIt: true } })
  outer.end()
  await telemetry.close()
  const [inner, found] = receiver.spans
  const resource = { 'service.name': 'mail', 'deployment.environment.name': 'test', team: 'a b' }
  expect(found).toMatchObject({ name: 'outer', kind: 'server', isError: false, attributes: { text: 'word' }, resource })
  expect(found).toMatchObject({ traceId: PARENT.slice(3, 35), parentSpanId: PARENT.slice(36, 52) })
  expect(inner).toMatchObject({ name: 'inner', kind: 'client', isError: true, attributes: { count: 7, isIt: true } })
  expect(inner).toMatchObject({ traceId: found?.traceId, parentSpanId: found?.spanId })
  expect(outer.traceparent).toBe(`00-${found?.traceId}-${found?.spanId}-01`)
})

it.each([
  'nonsense',
  '',
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
  `${PARENT}, ${PARENT}`,
])('begins a trace of its own where a traceparent is malformed: %j', async (traceparent) => {
  const telemetry = start()
  span(telemetry, 'root', traceparent).end()
  await telemetry.close()
  expect(receiver.spans).toMatchObject([{ name: 'root', parentSpanId: '' }])
  expect(receiver.spans[0]?.traceId).not.toBe(PARENT.slice(3, 35))
})

describe('OTEL_TRACES_SAMPLER', () => {
  it.each([
    ['always_on', 'root sampled unsampled'],
    ['always_off', ''],
    ['parentbased_always_on', 'root sampled'],
    ['parentbased_always_off', 'sampled'],
    ['parentbased_traceidratio', 'sampled'],
    ['traceidratio', ''],
  ])('%s with a share of 0 records: %s', async (sampler, recorded) => {
    const telemetry = start({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0' })
    const spans = [span(telemetry, 'root'), span(telemetry, 'sampled', PARENT), span(telemetry, 'unsampled', UNSAMPLED)]
    for (const one of spans) one.end()
    await telemetry.close()
    expect(names().join(' ')).toBe(recorded)
    // A process that continues a trace learns what was decided.
    const flags = (name: string) => (recorded.split(' ').includes(name) ? '01' : '00')
    expect(spans.map(({ traceparent }) => traceparent.slice(-2))).toEqual(['root', 'sampled', 'unsampled'].map(flags))
  })
})

it('sends the series of Prometheus under the same names', async () => {
  const telemetry = start({ OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '10' })
  await until(() => expect(receiver.metrics().length).toBeGreaterThan(0))
  await telemetry.close()
  const sent = receiver.metrics()
  const inRegistry = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name)
  expect(sent.map(({ name }) => name)).toEqual(expect.arrayContaining(['posthaste_process_cpu_seconds_total', 'posthaste_disk_free_bytes']))
  expect(sent.filter(({ name }) => !inRegistry.includes(name))).toEqual([])
  expect(sent.find(({ name }) => name === 'posthaste_http_requests_total')).toMatchObject({
    type: 'sum',
    points: [{ attributes: { operation: 'emails.send', status: '200' }, value: 3 }],
  })
  const [point] = sent.find(({ name }) => name === 'posthaste_http_request_seconds')?.points ?? []
  expect(point?.attributes).toEqual({ operation: 'emails.send' })
  expect(point?.value).toBeCloseTo(60.0705)
  expect(point?.bounds).toEqual([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10])
  expect(point?.counts).toEqual([1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1])
})

it('sends the headers that it was given, and no word of them elsewhere', async () => {
  const telemetry = start({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20s3cret,x-scope=a' })
  receiver.answer(status(401))
  span(telemetry, 'one').end()
  await telemetry.close()
  expect(receiver.headers[0]).toMatchObject({ authorization: 'Bearer s3cret', 'x-scope': 'a' })
  expect(telemetry.said).toEqual(['traces not exported'])
  expect(telemetry.errors.join()).not.toContain('s3cret')
  expect(receiver.sent()).not.toContain('s3cret')
})

describe('a receiver that fails', () => {
  it('answers 503: what was lost is counted, and said once until it works again', async () => {
    const telemetry = start({ OTEL_EXPORTER_OTLP_TIMEOUT: '200' })
    receiver.answer(status(503))
    for (const round of [1, 2]) {
      span(telemetry, 'lost').end()
      await until(() => expect(telemetry.lost).toHaveLength(round))
    }
    expect(telemetry.lost).toEqual(Array(2).fill({ signal: 'traces', reason: 'not_exported', count: 1 }))
    expect(telemetry.said).toEqual(['traces not exported'])
    receiver.answer(null)
    // One that takes longer than its time is lost, too.
    await until(() => {
      span(telemetry, 'arrives').end()
      expect(telemetry.said).toEqual(['traces not exported', 'traces exported again'])
    })
    expect(new Set(names())).toEqual(new Set(['arrives']))
  })

  it('hangs: the export ends after its time', async () => {
    const telemetry = start({ OTEL_EXPORTER_OTLP_TIMEOUT: '50' })
    receiver.answer(silence)
    span(telemetry, 'lost').end()
    await until(() => expect(telemetry.lost).toEqual([{ signal: 'traces', reason: 'not_exported', count: 1 }]))
    expect(telemetry.said).toEqual(['traces not exported'])
  })

  it('is slow: no more spans wait than the bound, and the others are counted', async () => {
    const telemetry = start({ OTEL_EXPORTER_OTLP_TIMEOUT: NEVER, OTEL_BSP_MAX_QUEUE_SIZE: '5' })
    const held: ServerResponse[] = []
    receiver.answer((_request, response) => void held.push(response))
    span(telemetry, 'being sent').end()
    await until(() => expect(held).toHaveLength(1))
    for (let count = 0; count < 8; count += 1) span(telemetry, 'waits or not').end()
    expect(telemetry.lost).toEqual(Array(3).fill({ signal: 'traces', reason: 'queue_full', count: 1 }))
    expect(telemetry.said).toEqual(['traces dropped: more wait to be exported than OTEL_BSP_MAX_QUEUE_SIZE'])
    receiver.answer(null)
    held[0]?.writeHead(200).end()
    await until(() => expect(names()).toEqual(Array(5).fill('waits or not')))
  })

  it('closes the connection, or is away: the spans are lost and nothing else', async () => {
    const telemetry = start({ OTEL_EXPORTER_OTLP_TIMEOUT: '200' })
    receiver.answer((request) => request.socket.destroy())
    span(telemetry, 'lost').end()
    await until(() => expect(telemetry.lost).toHaveLength(1))
    const away = start({ OTEL_EXPORTER_OTLP_TIMEOUT: '200' }, { url: 'http://127.0.0.1:1' })
    span(away, 'lost').end()
    await until(() => expect(away.lost).toEqual([{ signal: 'traces', reason: 'not_exported', count: 1 }]))
    expect(away.said).toEqual(['traces not exported'])
  })

  it('refuses metrics: this is counted and said too', async () => {
    receiver.answer(status(400))
    const telemetry = start({ OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '10' })
    await until(() => expect(telemetry.lost.length).toBeGreaterThan(1))
    expect(telemetry.lost[0]).toEqual({ signal: 'metrics', reason: 'not_exported', count: 1 })
    expect(telemetry.said).toEqual(['metrics not exported'])
  })
})

describe('the end', () => {
  it('sends what waits', async () => {
    const telemetry = start({ OTEL_BSP_SCHEDULE_DELAY: NEVER, OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: NEVER })
    span(telemetry, 'last').end()
    await telemetry.close()
    expect(names()).toEqual(['last'])
    expect(receiver.metrics().length).toBeGreaterThan(0)
    expect(telemetry.said).toEqual([])
  })

  it('does not wait for a receiver that hangs', async () => {
    const telemetry = start({ OTEL_BSP_SCHEDULE_DELAY: NEVER, OTEL_EXPORTER_OTLP_TIMEOUT: NEVER }, { flushMs: 50 })
    receiver.answer(silence)
    span(telemetry, 'last').end()
    await telemetry.close()
    expect(telemetry.said).toEqual(['last traces and metrics not exported in time'])
  })
})

it('has no traces where only metrics are wanted', async () => {
  const { telemetry } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_EXPORTER: 'none' })
  expect(telemetry).toMatchObject({ tracesUrl: null, metricsUrl: `${receiver.url}/v1/metrics` })
})
