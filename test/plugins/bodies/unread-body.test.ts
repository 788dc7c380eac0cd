import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { openRawSocket, type RawSocket } from '../../support/clients/raw-requests.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MIB = 1024 * 1024
/** Twice as much is read of a refused body. */
const BODY_BYTES_MAX = 16 * MIB
/** Without this care, more than half got no answer. */
const TIMES = 5

let app: FastifyInstance
let url: string
const sockets: RawSocket[] = []
/** The other ends of these connections. */
const accepted: Socket[] = []

async function listen(msMax = 30_000, clock = service.service.context.clock): Promise<void> {
  app = await buildApp({ ...service.service.context, clock }, { unreadBodies: { msMax }, bodyGate: { roomWaitMsMax: 0 } })
  app.server.on('connection', (socket) => accepted.push(socket))
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

const service = shared(() => startTestService({ environment: { REQUEST_BYTES_MAX: String(BODY_BYTES_MAX) } }))
afterEach(async () => {
  accepted.length = 0
  for (const socket of sockets.splice(0)) socket.close()
  await app.close()
})

/** Sends one body time after time, and prints the answers. In a separate process: beside the service it would never write at the same moment. */
const CLIENT = `
  import { Resend } from 'resend'
  const [url, token, type, mib, times] = process.argv.slice(1)
  const text = 'x'.repeat(mib * 1024 * 1024)
  const headers = { authorization: 'Bearer ' + token, 'content-type': type }
  const ways = {
    async sdk() {
      const { error } = await new Resend(token, { baseUrl: url }).emails.send({ from: 'a@example.com', to: 'b@example.com', subject: 'x', text }, { headers })
      return error.message
    },
    async fetch() {
      const answer = await fetch(url + '/emails', { method: 'POST', headers, body: text })
      return (await answer.json()).message
    },
  }
  const told = { sdk: [], fetch: [] }
  for (let time = 0; time < times; time++)
    for (const way of ['sdk', 'fetch']) told[way].push(await ways[way]().catch((error) => String(error.cause ?? error)))
  process.stdout.write(JSON.stringify(told))`

async function tellClient({ token, type, mib }: { token: string; type: string; mib: number }): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    CLIENT,
    url,
    token,
    type,
    String(mib),
    String(TIMES),
  ])
  return JSON.parse(stdout)
}

const everyTime = (message: string) => ({ sdk: Array(TIMES).fill(message), fetch: Array(TIMES).fill(message) })

const head = (headers: string, token = service.token) =>
  `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n\r\n`
const JSON_TYPE = 'Content-Type: application/json\r\n'

async function begin(text: string): Promise<RawSocket> {
  const raw = await openRawSocket(url)
  sockets.push(raw)
  raw.write(text)
  return raw
}

describe('the official client and `fetch` read every time why a large body is refused', () => {
  it('when it is too large', async () => {
    await listen()
    expect(await tellClient({ token: service.token, type: 'application/json', mib: 40 })).toEqual(
      everyTime('The request body is too large.'),
    )
  })

  it('when there is no place for it', async () => {
    // The two that have places send nothing, and would lose them after ten seconds.
    await listen(30_000, createMovingClock())
    for (let place = 0; place < 2; place += 1) {
      const raw = await begin(head(`${JSON_TYPE}Content-Length: ${BODY_BYTES_MAX}\r\nExpect: 100-continue`))
      expect(await raw.answer()).toMatchObject({ status: 100 })
    }
    const full = 'Requests of your team with bodies of 32 MB together are being read already. Please try again in a few seconds.'
    expect(await tellClient({ token: service.token, type: 'application/json', mib: 15 })).toEqual(everyTime(full))
  })

  it('when it is no JSON', async () => {
    await listen()
    const notJson = 'The request body must be sent with `Content-Type: application/json`.'
    expect(await tellClient({ token: service.token, type: 'text/csv', mib: 15 })).toEqual(everyTime(notJson))
  })

  it('when the key is unknown', async () => {
    await listen()
    const unknown = 'This API key is not valid. It may have been deleted.'
    expect(await tellClient({ token: `re_${'0'.repeat(40)}`, type: 'application/json', mib: 40 })).toEqual(everyTime(unknown))
  })
})

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const MIB_OF_TEXT = Buffer.from(chunk('x'.repeat(MIB)))

async function sendMib({ socket }: RawSocket, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) if (!socket.write(MIB_OF_TEXT)) await once(socket, 'drain')
}

const connections = () => new Promise<number>((done) => app.server.getConnections((_error, count) => done(count)))
const untilAllClosed = () => until(async () => expect(await connections()).toBe(0))

/** Refused before the body is read. Only the first refusal closes the connection by itself; the others would keep it if the body had an end. */
const REFUSALS = [
  { of: 'a media type', status: 415, request: () => head('Content-Type: text/csv\r\nTransfer-Encoding: chunked') },
  { of: 'a key', status: 401, request: () => head(`${JSON_TYPE}Transfer-Encoding: chunked`, '') },
  { of: 'a path', status: 404, request: () => head(`${JSON_TYPE}Transfer-Encoding: chunked`).replace('/emails', '/nothing') },
]

describe('a client that is refused before its body is read', () => {
  it('may send more than it was allowed before it reads the answer, and its connection ends then', async () => {
    await listen()
    const bytes = BODY_BYTES_MAX + 8 * MIB
    const raw = await begin(head(`${JSON_TYPE}Content-Length: ${bytes}`))
    raw.socket.pause()
    raw.socket.allowHalfOpen = true
    for (let sent = 0; sent < bytes; sent += MIB) if (!raw.socket.write(Buffer.alloc(MIB))) await once(raw.socket, 'drain')
    raw.socket.resume()
    expect(await raw.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } })
    await untilAllClosed()
  })

  it.each([
    ['which is too large', 413, () => head(`${JSON_TYPE}Content-Length: ${BODY_BYTES_MAX + 1}`)],
    ['which is large, for its key', 401, () => head(`${JSON_TYPE}Content-Length: ${MIB + 1}`, '')],
    ['which is large, for its path', 404, () => head(`${JSON_TYPE}Content-Length: ${MIB + 1}`).replace('/emails', '/nothing')],
  ])('is told at once that nothing follows the answer (%s)', async (_what, status, request) => {
    await listen()
    const raw = await begin(request())
    const end = once(raw.socket, 'end')
    expect(await raw.answer()).toMatchObject({ status, headers: { connection: 'close' } })
    await end
  })

  it.each(REFUSALS)('is cut off when its time has passed ($of)', async ({ status, request }) => {
    await listen(100)
    const raw = await begin(request())
    raw.socket.allowHalfOpen = true
    expect(await raw.answer()).toMatchObject({ status })
    await untilAllClosed()
  })

  it.each(REFUSALS)('is cut off after twice as many bytes as a body may have ($of)', async ({ status, request }) => {
    await listen()
    const raw = await begin(request())
    raw.socket.allowHalfOpen = true
    expect(await raw.answer()).toMatchObject({ status })
    await sendMib(raw, 31)
    expect(await connections()).toBe(1)
    raw.socket.write(Buffer.concat([MIB_OF_TEXT, MIB_OF_TEXT]))
    await untilAllClosed()
  })

  it.each([
    ['with its length', `Content-Length: ${MIB}`, 'x'.repeat(MIB)],
    ['in chunks', 'Transfer-Encoding: chunked', `${MIB_OF_TEXT}0\r\n\r\n`],
  ])('keeps its connection when the body is small (%s)', async (_how, length, body) => {
    await listen(15_000)
    const raw = await begin(head(JSON_TYPE + length, ''))
    for (let time = 0; time < 3; time += 1) {
      const answer = await raw.answer()
      expect(answer).toMatchObject({ status: 401 })
      expect(answer.headers).not.toHaveProperty('connection', 'close')
      raw.write(body)
      raw.write(head(JSON_TYPE + length, ''))
    }
    expect(await raw.answer()).toMatchObject({ status: 401 })
    raw.write(body)
    // Longer than an unread body has: one that begins now and does not end has had its time.
    const later = await begin(head(JSON_TYPE + length, ''))
    expect(await later.answer()).toMatchObject({ status: 401 })
    await later.ended()
    raw.write(head('Content-Length: 0', ''))
    expect(await raw.answer()).toMatchObject({ status: 401 })
  })
})

it('a client whose request took too long is cut off although it is still sending', async () => {
  await listen(100)
  const raw = await begin(`${head(`${JSON_TYPE}Content-Length: 1000`)}{`)
  raw.socket.allowHalfOpen = true
  await until(() => expect(accepted).toHaveLength(1))
  app.server.emit('clientError', Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), accepted[0])
  expect(await raw.answer()).toMatchObject({ status: 408 })
  await untilAllClosed()
})
