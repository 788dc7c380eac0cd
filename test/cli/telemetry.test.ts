// OpenTelemetry in whole processes: what is loaded, and what is sent before they end.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emailInput } from '../support/builders/emails.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import type { Place, ServiceProcess } from '../support/processes/processes.ts'
import { silence } from '../support/servers/http-sink.ts'
import { startOtlpReceiver } from '../support/servers/otlp-receiver.ts'
import { shared } from '../support/servers/service.ts'

let place: Place
let folder: string
beforeAll(async () => {
  place = await createPreparedPlace({ DELIVERY: 'capture' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))
const receiver = shared(() => startOtlpReceiver())
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaste-test-telemetry-'))
})
afterAll(() => place.close())

/** Longer than any test: what arrives was sent because the process ended. */
const NEVER = '600000'
const sending = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_BSP_SCHEDULE_DELAY: NEVER,
  OTEL_METRIC_EXPORT_INTERVAL: NEVER,
})

/** Writes what is loaded that has to do with OpenTelemetry into a file. */
const watching = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (/opentelemetry|telemetry/.test(url)) appendFileSync(${JSON.stringify(file)}, url + '\\n')
    return next(url, context)
  } })`)}`

async function loadedBy(name: string, environment: Record<string, string>): Promise<string[]> {
  const file = join(folder, name)
  await writeFile(file, '')
  const service = await place.start({ environment: { ...environment, NODE_OPTIONS: `--import=${watching(file)}` } })
  await sendEmail(service)
  expect((await service.signal('SIGTERM')).status).toBe(0)
  return (await readFile(file, 'utf8')).split('\n').filter(Boolean)
}

async function sendEmail({ url }: ServiceProcess): Promise<void> {
  const { status } = await fetch(`${url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(emailInput()),
  })
  expect(status).toBe(200)
}

it('loads nothing of it without an endpoint, and where it is disabled', async () => {
  // The library of the Prometheus series asks the interface of OpenTelemetry whether there is a trace.
  const ours = (urls: string[]) => urls.filter((url) => !url.includes('/@opentelemetry/api/'))
  expect(ours(await loadedBy('unset', {}))).toEqual([])
  expect(ours(await loadedBy('disabled', { ...sending(), OTEL_SDK_DISABLED: 'true' }))).toEqual([])
  expect(receiver.headers).toEqual([])
})

it('loads it with one, and sends what is left when it is stopped', async () => {
  // What is left has two seconds, which a busy machine may take.
  await until(async () => {
    const loaded = (await loadedBy('set', sending())).join('\n')
    for (const name of ['io/telemetry', 'exporter-trace-otlp-proto', 'sdk-metrics']) expect(loaded).toContain(name)
    const names = receiver.spans.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['POST /emails', 'accept emails']))
    expect(receiver.metrics().map(({ name }) => name)).toContain('posthaste_http_requests_total')
  })
})

it('stops in good order while the receiver hangs', async () => {
  receiver.answer(silence)
  const service = await place.start({ environment: sending() })
  await sendEmail(service)
  expect((await service.signal('SIGTERM')).status).toBe(0)
  expect(service.output()).toContain('last traces and metrics not exported in time')
})
