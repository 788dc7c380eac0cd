// Reads what OTLP sends, from the bytes of Protocol Buffers: the fields that the tests look at.
// https://github.com/open-telemetry/opentelemetry-proto
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { startHttpSink } from './http-sink.ts'

export type ReceivedSpan = {
  traceId: string
  spanId: string
  /** Empty for the root of a trace. */
  parentSpanId: string
  name: string
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  attributes: Record<string, unknown>
  isError: boolean
  resource: Record<string, unknown>
}

export type ReceivedMetric = {
  name: string
  type: 'gauge' | 'sum' | 'histogram'
  points: { attributes: Record<string, unknown>; value: number; bounds: number[]; counts: number[] }[]
}

export const spansOf = (request: Buffer): ReceivedSpan[] =>
  messages(request, 1).flatMap((ofResource) => {
    const resource = attributesOf(messages(ofResource, 1)[0] ?? Buffer.alloc(0), 1)
    return messages(ofResource, 2)
      .flatMap((ofScope) => messages(ofScope, 2))
      .map((span) => spanOf(span, resource))
  })

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const

function spanOf(span: Buffer, resource: ReceivedSpan['resource']): ReceivedSpan {
  const hex = (number: number) => messages(span, number)[0]?.toString('hex') ?? ''
  const [status] = messages(span, 15)
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentSpanId: hex(4),
    name: textOf(span, 5),
    kind: KINDS[numberOf(span, 6)] ?? 'internal',
    attributes: attributesOf(span, 9),
    isError: status !== undefined && numberOf(status, 3) === 2,
    resource,
  }
}

export const metricsOf = (request: Buffer): ReceivedMetric[] =>
  messages(request, 1)
    .flatMap((ofResource) => messages(ofResource, 2))
    .flatMap((ofScope) => messages(ofScope, 2))
    .flatMap(metricOf)

function metricOf(metric: Buffer): ReceivedMetric[] {
  const name = textOf(metric, 1)
  const points = (number: number) => messages(metric, number).flatMap((content) => messages(content, 1))
  return [
    ...ofType('gauge', points(5).map(numberPoint)),
    ...ofType('sum', points(7).map(numberPoint)),
    ...ofType('histogram', points(9).map(histogramPoint)),
  ]
  function ofType(type: ReceivedMetric['type'], found: ReceivedMetric['points']): ReceivedMetric[] {
    return found.length === 0 ? [] : [{ name, type, points: found }]
  }
}

const numberPoint = (point: Buffer) => ({ attributes: attributesOf(point, 7), value: doubles(point, 4)[0] ?? 0, bounds: [], counts: [] })

const histogramPoint = (point: Buffer) => ({
  attributes: attributesOf(point, 9),
  value: doubles(point, 5)[0] ?? 0,
  bounds: doubles(point, 7),
  counts: fixed(point, 6).map((bytes) => Number(bytes.readBigUInt64LE())),
})

/** A list of KeyValue. */
const attributesOf = (message: Buffer, number: number): Record<string, unknown> =>
  Object.fromEntries(messages(message, number).map((pair) => [textOf(pair, 1), anyValue(messages(pair, 2)[0] ?? Buffer.alloc(0))]))

function anyValue(value: Buffer): unknown {
  const [field] = fieldsOf(value)
  switch (field?.number) {
    case 1:
      return field.bytes.toString()
    case 2:
      return field.value === 1n
    case 3:
      return Number(field.value)
    case 4:
      return field.bytes.readDoubleLE()
    default:
      return null
  }
}

const textOf = (message: Buffer, number: number): string => messages(message, number)[0]?.toString() ?? ''
const numberOf = (message: Buffer, number: number): number => Number(fieldsOf(message).find((field) => field.number === number)?.value ?? 0)
const doubles = (message: Buffer, number: number): number[] => fixed(message, number).map((bytes) => bytes.readDoubleLE())

const messages = (message: Buffer, number: number): Buffer[] =>
  fieldsOf(message).flatMap((field) => (field.number === number ? [field.bytes] : []))

/** Eight bytes each, alone or packed. */
const fixed = (message: Buffer, number: number): Buffer[] =>
  messages(message, number).flatMap((bytes) => Array.from({ length: bytes.length / 8 }, (_, at) => bytes.subarray(at * 8, at * 8 + 8)))

/** `value` of a varint, `bytes` of everything else. */
type Field = { number: number; value: bigint; bytes: Buffer }

/** https://protobuf.dev/programming-guides/encoding/ */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++] ?? 0
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    return message.subarray(at - length, at)
  }
  const LENGTHS: Record<number, () => number> = { 1: () => 8, 2: () => Number(varint()), 5: () => 4 }
  while (at < message.length) {
    const tag = Number(varint())
    const length = LENGTHS[tag & 7]
    const value = length === undefined ? varint() : 0n
    fields.push({ number: tag >> 3, value, bytes: length === undefined ? Buffer.alloc(0) : take(length()) })
  }
  return fields
}

// A receiver of OpenTelemetry on loopback: it keeps what it is sent, and fails on demand.

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
