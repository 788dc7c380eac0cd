// Requests that read something large while nothing is read to its end, so that all of them need their room at once.

import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { request as requestOf } from 'undici'
import { expect } from 'vitest'
import type { TestService } from '../servers/service.ts'

type Held = {
  /** Makes each read wait for the promise, and returns how to undo that. */
  hold: (until: Promise<void>) => () => void
  /** The status that the request is answered with. */
  ask: () => Promise<number>
  /** More than there is room for. */
  times: number
}

/** Some are refused before anything was read, and those that had room succeed. */
export async function expectReadsToTakeRoom({ hold, ask, times }: Held): Promise<void> {
  const open = Promise.withResolvers<void>()
  const release = hold(open.promise)
  const asking = Array.from({ length: times }, ask)
  const first = await Promise.race(asking)
  open.resolve()
  const statuses = await Promise.all(asking)
  release()
  expect(first).toBe(503)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(5)
}

// A request with exactly the given bytes, because `fetch` sends no body with GET and normalizes paths.

export type RawRequest = { method: string; path: string; headers?: Record<string, string>; body?: string | Buffer; token?: string | null }

export async function rawRequest(
  service: TestService,
  { method, path, headers = {}, body, token = service.token }: RawRequest,
): Promise<{ status: number; headers: Record<string, unknown>; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = request(`${service.url}/`, { method, path, headers: { ...authorization, ...length, ...headers } }, resolve)
  sent.on('error', reject).end(body)
  const response = await promise
  return { status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(await text(response)) }
}

// One TCP connection to a service, byte by byte, for what no HTTP client would send.

export type RawAnswer = { status: number; headers: Record<string, string>; body: unknown }

export type RawSocket = {
  socket: Socket
  write(text: string): void
  /** The next whole answer, however the answers are split into packets. */
  answer(): Promise<RawAnswer>
  /** Waits until the server has ended the connection. */
  ended(): Promise<void>
  close(): void
}

export async function openRawSocket(serviceUrl: string): Promise<RawSocket> {
  const { hostname, port } = new URL(serviceUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // The server may close the connection while we still write.
  socket.on('error', () => {})
  let received = Buffer.alloc(0)
  let hasEnded = false
  let wake = () => {}
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  socket.on('close', () => {
    hasEnded = true
    wake()
  })
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })

  return {
    socket,
    write: (text) => void socket.write(text),
    async answer() {
      for (;;) {
        const read = readAnswer(received)
        if (read) {
          received = received.subarray(read.bytes)
          return read.answer
        }
        if (hasEnded) throw new Error(`The connection ended after ${JSON.stringify(received.toString())}`)
        await more()
      }
    },
    async ended() {
      while (!hasEnded) await more()
    },
    close: () => void socket.destroy(),
  }
}

function readAnswer(bytes: Buffer): { answer: RawAnswer; bytes: number } | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body =
    headers['transfer-encoding'] === 'chunked' ? readChunks(bytes, end + 4) : readLength(bytes, end + 4, headers['content-length'])
  if (!body) return null
  return {
    answer: { status: Number(statusLine.split(' ')[1]), headers, body: body.text === '' ? null : JSON.parse(body.text) },
    bytes: body.end,
  }
}

type ReadBody = { text: string; end: number }

function readLength(bytes: Buffer, start: number, length = '0'): ReadBody | null {
  const end = start + Number(length)
  return bytes.length < end ? null : { text: bytes.subarray(start, end).toString(), end }
}

function readChunks(bytes: Buffer, start: number): ReadBody | null {
  let text = ''
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16)
    const end = lineEnd + 2 + size + 2
    if (bytes.length < end) return null
    if (size === 0) return { text, end }
    text += bytes.subarray(lineEnd + 2, end - 2).toString()
    at = end
  }
}

// A request that names a host, as one by a browser does that found the service by the DNS. `fetch` does not let anyone set Host.

export type HostRequest = { method?: 'GET' | 'HEAD'; headers?: Record<string, string> }

export async function requestAt(
  { url }: { url: string },
  host: string,
  path: string,
  { method = 'GET', headers = {} }: HostRequest = {},
): Promise<Response> {
  const answer = await requestOf(url + path, { method, headers: { host, ...headers } })
  const named = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Response(await answer.body.arrayBuffer(), { status: answer.statusCode, headers: named })
}
