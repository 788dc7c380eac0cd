// A receiver of OpenTelemetry on loopback: it keeps what it is sent, and fails on demand.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { startHttpSink } from './http-sink.ts'
import { metricsOf, type ReceivedMetric, type ReceivedSpan, spansOf } from './otlp-messages.ts'

export type OtlpReceiver = {
  url: string
  /** What it has answered with success. */
  spans: ReceivedSpan[]
  /** The series as they were sent last. */
  metrics(): ReceivedMetric[]
  /** The headers of each request. */
  headers: IncomingHttpHeaders[]
  /** All bytes that were sent, as text. */
  sent(): string
  /** How it answers from now on; null: as it should. */
  answer(respond: ((request: IncomingMessage, response: ServerResponse) => void) | null): void
  close(): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const headers: IncomingHttpHeaders[] = []
  const bodies: Buffer[] = []
  let metrics: ReceivedMetric[] = []
  let respond: Parameters<OtlpReceiver['answer']>[0] = null

  const receive = (keep: (body: Buffer) => void) => async (request: IncomingMessage, response: ServerResponse) => {
    headers.push(request.headers)
    const body = await buffer(request).catch(() => null)
    if (body === null) return
    bodies.push(body)
    if (respond !== null) return respond(request, response)
    keep(body)
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }
  const sink = await startHttpSink({
    '/v1/traces': receive((body) => spans.push(...spansOf(body))),
    '/v1/metrics': receive((body) => {
      metrics = metricsOf(body)
    }),
  })

  return {
    url: sink.url,
    spans,
    metrics: () => metrics,
    headers,
    sent: () => Buffer.concat(bodies).toString('latin1'),
    answer: (next) => {
      respond = next
    },
    close: sink.close,
  }
}
