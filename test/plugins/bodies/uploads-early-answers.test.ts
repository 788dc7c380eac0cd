import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { openRawSocket, type RawSocket } from '../../support/clients/raw-requests.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MIB = 1024 * 1024
const FILE_BYTES_MAX = 32 * MIB
/** Without this care, four of five got no answer. */
const TIMES = 5
const NUL = 'The `file` field is not a text file: it holds NUL bytes. Save it as CSV in UTF-8.'
const TOO_LARGE = 'The `file` field is too large: at most 32 MB are accepted. Send it in several files.'

let app: FastifyInstance
let url: string
const sockets: RawSocket[] = []

async function listen(msMax = 30_000): Promise<void> {
  app = await buildApp(service.service.context, { unreadBodies: { msMax } })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

const service = shared(() => startTestService({ environment: { IMPORT_BYTES_MAX: String(FILE_BYTES_MAX) } }))
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  await app.close()
})

/** Sends one file time after time, and prints the answers. In a separate process: beside the service it would never write at the same moment. */
const CLIENT = `
  import { Resend } from 'resend'
  const [url, token, first, mib, times] = process.argv.slice(1)
  const file = new Blob([JSON.parse(first), Buffer.alloc(mib * 1024 * 1024, 'ada@example.com')])
  const ways = {
    async sdk() {
      const { error } = await new Resend(token, { baseUrl: url }).contacts.imports.create({ file })
      return error.message
    },
    async fetch() {
      const body = new FormData()
      body.append('file', file)
      const answer = await fetch(url + '/contacts/imports', { method: 'POST', headers: { authorization: 'Bearer ' + token }, body })
      return (await answer.json()).message
    },
  }
  const told = { sdk: [], fetch: [] }
  for (let time = 0; time < times; time++)
    for (const way of ['sdk', 'fetch']) told[way].push(await ways[way]().catch((error) => String(error.cause ?? error)))
  process.stdout.write(JSON.stringify(told))`

it.each<[string, { first: string; mib: number; message: string }]>([
  ['begins with a NUL', { first: '"\\u0000"', mib: 20, message: NUL }],
  ['is too large', { first: '"email"', mib: 40, message: TOO_LARGE }],
])('a file that %s is refused with an answer that the official client and `fetch` read, every time', async (_what, sent) => {
  await listen()
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    CLIENT,
    url,
    service.token,
    sent.first,
    String(sent.mib),
    String(TIMES),
  ])
  const answers = Array.from({ length: TIMES }, () => sent.message)
  expect(JSON.parse(stdout)).toEqual({ sdk: answers, fetch: answers })
})

const chunk = (text: string | Buffer) => `${text.length.toString(16)}\r\n${text}\r\n`
const MIB_OF_ROWS = chunk('ada@example.com\n'.repeat(MIB / 16))

/** An upload that is refused as soon as its first bytes are read, and does not announce its length. */
async function beginBroken(): Promise<RawSocket> {
  const raw = await openRawSocket(url)
  sockets.push(raw)
  raw.write(
    `POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n`,
  )
  raw.write(chunk('--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n\0'))
  return raw
}

async function sendMib({ socket }: RawSocket, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) if (!socket.write(MIB_OF_ROWS)) await once(socket, 'drain')
}

const connections = () => new Promise<number>((done) => app.server.getConnections((_error, count) => done(count)))

describe('a client that is refused in the middle of its file', () => {
  it('may send all of it before it reads the answer, and its connection ends then', async () => {
    await listen()
    const raw = await beginBroken()
    raw.socket.pause()
    raw.socket.allowHalfOpen = true
    await sendMib(raw, 24)
    raw.write('0\r\n\r\n')
    raw.socket.resume()
    expect(await raw.answer()).toMatchObject({ status: 422, headers: { connection: 'close' }, body: { message: NUL } })
    await until(async () => expect(await connections()).toBe(0))
  })

  it('is told at once that nothing follows the answer', async () => {
    await listen()
    const raw = await beginBroken()
    const end = once(raw.socket, 'end')
    expect(await raw.answer()).toMatchObject({ status: 422 })
    await end
  })

  it('is cut off when its time has passed', async () => {
    await listen(100)
    const raw = await beginBroken()
    raw.socket.allowHalfOpen = true
    expect(await raw.answer()).toMatchObject({ status: 422 })
    await until(async () => expect(await connections()).toBe(0))
  })

  it('is cut off after as many bytes as a file may have', async () => {
    await listen()
    const raw = await beginBroken()
    raw.socket.allowHalfOpen = true
    expect(await raw.answer()).toMatchObject({ status: 422 })
    await sendMib(raw, 31)
    expect(await connections()).toBe(1)
    raw.socket.write(MIB_OF_ROWS + MIB_OF_ROWS)
    await until(async () => expect(await connections()).toBe(0))
  })
})
