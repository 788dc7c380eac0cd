import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { BlobStore } from '../../../src/gateways/files/blob-store.ts'
import { storedFiles } from '../../support/builders/contact-imports.ts'
import { openRawSocket, type RawSocket } from '../../support/clients/raw-socket.ts'
import { createMovingClock, type MovingClock } from '../../support/clocks/moving-clock.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const JUDGED_EVERY_MS = 5
const KIB = 1024
const MIB = 1024 * KIB

let service: TestService
let clock: MovingClock
let app: FastifyInstance
let url: string
const sockets: RawSocket[] = []

type Listening = { put?: BlobStore['put']; server?: object }

const blobs = () => service.service.context.gateways.blobs

async function listen({ put = blobs().put, server }: Listening = {}): Promise<void> {
  clock = createMovingClock()
  const { context } = service.service
  const gateways = { ...context.gateways, blobs: { ...blobs(), put } }
  app = await buildApp({ ...context, gateways, clock }, { uploads: { judgedEveryMs: JUDGED_EVERY_MS } })
  Object.assign(app.server, server)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

beforeAll(async () => {
  service = await startTestService()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  await app.close()
  // Uploads that were just interrupted are still being removed.
  await vi.waitFor(async () => {
    for (const key of await storedFiles(service)) await blobs().remove(key)
  })
})
afterAll(() => service.close())

async function storedBytes(): Promise<number> {
  const entries = await readdir(service.config.blobFolder, { recursive: true, withFileTypes: true })
  const files = await Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name))))
  return files.reduce((sum, { size }) => sum + size, 0)
}

const END = '\r\n--b--\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** Sends the beginning of a request whose body comes in chunks. */
async function begin(path: string, type: string, text: string): Promise<RawSocket> {
  const raw = await openRawSocket(url)
  sockets.push(raw)
  raw.write(head(path, type) + chunk(text))
  return raw
}

const head = (path: string, type: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`

const FILE_HEAD = '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n'
const sendUpload = () => begin('/contacts/imports', 'multipart/form-data; boundary=b', FILE_HEAD)

/** The file is arriving when this resolves. */
async function beginUpload(filesThen = 1): Promise<RawSocket> {
  const raw = await sendUpload()
  await vi.waitFor(async () => expect(await storedFiles(service)).toHaveLength(filesThen))
  return raw
}

const ROW = 'ada@example.com\n'
const rows = (bytes: number) => chunk(ROW.repeat(bytes / ROW.length))

const finish = (raw: RawSocket) => {
  raw.write(`${chunk(END)}0\r\n\r\n`)
  return raw.answer()
}

const refusal = (message: string) => ({ status: 408, body: { statusCode: 408, name: 'validation_error', message } })

const TOO_SLOW = refusal('The file arrives too slowly: at least 4 KB a second are needed, and a pause may last 30 seconds.')

/** Long enough for the written bytes to arrive and be checked. */
const untilJudged = () => new Promise((done) => setTimeout(done, 3 * JUDGED_EVERY_MS))

/** Sends this many bytes in every second of the clock. */
async function trickle(raw: RawSocket, { bytesPerSecond, seconds }: { bytesPerSecond: number; seconds: number }): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1_000)
    raw.write(rows(bytesPerSecond))
    await untilJudged()
  }
}

describe('an upload of which nothing arrives any more', () => {
  it('is waited for for 30 seconds', async () => {
    await listen()
    const raw = await beginUpload()
    clock.advance(30_000)
    await untilJudged()
    expect((await finish(raw)).status).toBe(201)
  })

  it('ends with a 408 then, and nothing of it stays', async () => {
    await listen()
    const raw = await beginUpload()
    clock.advance(30_001)
    expect(await raw.answer()).toMatchObject(TOO_SLOW)
    await raw.ended()
    expect(await storedFiles(service)).toEqual([])
  })
})

describe('an upload that becomes slow', () => {
  it('ends within half a minute when next to nothing arrives, however much it sent at once, and leaves its place to others', async () => {
    await listen()
    const others = await beginUpload()
    const raw = await beginUpload(2)
    raw.write(rows(10 * MIB))
    await vi.waitFor(async () => expect(await storedBytes()).toBeGreaterThan(10 * MIB))
    await trickle(raw, { bytesPerSecond: 16, seconds: 29 })
    expect(await storedFiles(service)).toHaveLength(2)
    await trickle(raw, { bytesPerSecond: 16, seconds: 2 })
    expect(await raw.answer()).toMatchObject(TOO_SLOW)
    await raw.ended()
    // The other has been silent for as long.
    expect(await others.answer()).toMatchObject(TOO_SLOW)
    await vi.waitFor(async () => expect(await storedFiles(service)).toEqual([]))
    const next = [await beginUpload(1), await beginUpload(2)]
    for (const upload of next) expect((await finish(upload)).status).toBe(201)
  })

  it('ends within a minute at half the pace', async () => {
    await listen()
    const raw = await beginUpload()
    raw.write(rows(MIB))
    await vi.waitFor(async () => expect(await storedBytes()).toBeGreaterThan(MIB))
    await trickle(raw, { bytesPerSecond: 2 * KIB, seconds: 57 })
    expect(await storedFiles(service)).toHaveLength(1)
    await trickle(raw, { bytesPerSecond: 2 * KIB, seconds: 5 })
    expect(await raw.answer()).toMatchObject(TOO_SLOW)
  })

  it('may take as long as it likes at 4 KB a second, with pauses of up to half a minute that it makes good', async () => {
    await listen()
    const raw = await beginUpload()
    const answer = vi.fn()
    void raw.answer().then(answer)
    for (let pauses = 0; pauses < 20; pauses++) {
      clock.advance(29_000)
      await untilJudged()
      const before = await storedBytes()
      raw.write(rows(29 * 4 * KIB))
      await vi.waitFor(async () => expect(await storedBytes()).toBe(before + 29 * 4 * KIB), { interval: 5 })
      await trickle(raw, { bytesPerSecond: 4 * KIB, seconds: 5 })
    }
    expect(answer).not.toHaveBeenCalled()
    raw.write(`${chunk(END)}0\r\n\r\n`)
    await vi.waitFor(() => expect(answer).toHaveBeenCalledWith(expect.objectContaining({ status: 201 })))
  })
})

describe('a disk that is slow', () => {
  async function* held(content: Readable | Buffer, until: Promise<void>) {
    for await (const piece of content) {
      await until
      yield piece
    }
  }

  it.each<[string, (until: Promise<void>) => BlobStore['put']]>([
    ['to open a file', (until) => (key, content) => until.then(() => blobs().put(key, content))],
    ['to take what is written', (until) => (key, content) => blobs().put(key, Readable.from(held(content, until)))],
    [
      'to end a file',
      (until) => (key, content) =>
        blobs()
          .put(key, content)
          .finally(() => until),
    ],
  ])('%s is not held against the client', async (_when, putAfter) => {
    const { promise: until, resolve: end } = Promise.withResolvers<void>()
    await listen({ put: putAfter(until) })
    const raw = await sendUpload()
    const answer = vi.fn()
    void raw.answer().then(answer)
    raw.write(`${rows(MIB)}${chunk(END)}0\r\n\r\n`)
    await untilJudged()
    for (let seconds = 0; seconds < 60; seconds++) {
      clock.advance(1_000)
      await untilJudged()
    }
    expect(answer).not.toHaveBeenCalled()
    end()
    await vi.waitFor(() => expect(answer).toHaveBeenCalledWith(expect.objectContaining({ status: 201 })))
  })
})

describe('an upload that is cut off', () => {
  it('on a disk that fills up meanwhile ends with a 503, and nothing of it stays', async () => {
    await listen()
    const raw = await beginUpload()
    const low = vi.spyOn(service.service.context.gateways.diskSpace, 'isLow').mockResolvedValue(true)
    try {
      raw.write(rows(9 * MIB))
      expect(await raw.answer()).toMatchObject({
        status: 503,
        body: { message: 'The server is almost out of disk space and takes no files.' },
        headers: { 'retry-after': '60' },
      })
      await vi.waitFor(async () => expect(await storedFiles(service)).toEqual([]))
    } finally {
      low.mockRestore()
    }
  })

  it('is out of the way before the service has closed', async () => {
    let isOver = false
    await listen({
      async put(key, content) {
        try {
          return await blobs().put(key, content)
        } finally {
          await new Promise((done) => setTimeout(done, 100))
          isOver = true
        }
      },
    })
    await beginUpload()
    app.server.closeAllConnections()
    await app.close()
    expect(isOver).toBe(true)
    expect(await storedFiles(service)).toEqual([])
  })
})

it('an upload ends after 75 minutes, however much has arrived', async () => {
  await listen()
  const raw = await beginUpload()
  clock.advance(75 * 60_000 + 1)
  raw.write(chunk(ROW))
  expect(await raw.answer()).toMatchObject(refusal('The file did not arrive within 75 minutes. Send it in several files.'))
})

it('an upload may take longer than any other request, also than one on the same connection', async () => {
  await listen({ server: { headersTimeout: 300, requestTimeout: 300, connectionsCheckingInterval: 20 } })
  const raw = await beginUpload()
  const other = await begin('/emails', 'application/json', '{')
  const timedOut = refusal('The request took too long to arrive.')
  expect(await other.answer()).toMatchObject(timedOut)
  expect((await finish(raw)).status).toBe(201)

  raw.write(head('/emails', 'application/json') + chunk('{'))
  expect(await raw.answer()).toMatchObject(timedOut)
})

it('an upload that is refused on its way ends with its connection: no one goes on listening to it', async () => {
  await listen()
  const raw = await beginUpload()
  raw.write(chunk('\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n'))
  expect(await raw.answer()).toMatchObject({ status: 422, body: { message: 'The `file` field is there twice: send one file.' } })
  await raw.ended()
})
