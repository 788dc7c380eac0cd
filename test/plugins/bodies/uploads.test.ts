import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { BlobStore } from '../../../src/io/blobs/blob-store.ts'
import { storedFiles } from '../../support/builders/contact-imports.ts'
import { openRawSocket, type RawSocket } from '../../support/clients/raw-requests.ts'
import { createHandle, createMovingClock, type Handle, type MovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const KIB = 1024
const MIB = 1024 * KIB

let clock: MovingClock
let judging: Handle
let app: FastifyInstance
let url: string
const sockets: RawSocket[] = []

type Listening = { put?: BlobStore['put']; server?: object }

const blobs = () => service.service.context.gateways.blobs

async function listen({ put = blobs().put, server }: Listening = {}): Promise<void> {
  clock = createMovingClock()
  judging = createHandle()
  const { context } = service.service
  const gateways = { ...context.gateways, blobs: { ...blobs(), put } }
  app = await buildApp({ ...context, gateways, clock }, { uploads: judging })
  Object.assign(app.server, server)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

const service = shared(() => startTestService())
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  await app.close()
  // Uploads that were just interrupted are still being removed.
  await until(async () => {
    for (const key of await storedFiles(service)) await blobs().remove(key)
  })
})

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
  await until(async () => expect(await storedFiles(service)).toHaveLength(filesThen))
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

/** Moves the clock, and judges the uploads. */
function pass(ms: number): void {
  clock.advance(ms)
  judging.turn()
}

/** Sends so many bytes, and waits until they are stored. */
async function store(raw: RawSocket, bytes: number): Promise<void> {
  const before = await storedBytes()
  raw.write(rows(bytes))
  await until(async () => expect(await storedBytes()).toBe(before + bytes), { interval: 2 })
}

/** Sends this many bytes after every second of the clock, but for the last one. */
async function trickle(raw: RawSocket, { bytesPerSecond, seconds }: { bytesPerSecond: number; seconds: number }): Promise<void> {
  for (let second = 1; second <= seconds; second++) {
    pass(1_000)
    if (second < seconds) await store(raw, bytesPerSecond)
  }
}

describe('an upload of which nothing more arrives', () => {
  it('is waited for for 30 seconds', async () => {
    await listen()
    const raw = await beginUpload()
    pass(30_000)
    expect((await finish(raw)).status).toBe(201)
  })

  it('ends with a 408 then, and nothing of it stays', async () => {
    await listen()
    const raw = await beginUpload()
    pass(30_001)
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
    await store(raw, 10 * MIB)
    await trickle(raw, { bytesPerSecond: 16, seconds: 30 })
    await store(raw, 16)
    pass(1_000)
    expect(await raw.answer()).toMatchObject(TOO_SLOW)
    await raw.ended()
    // The other has been silent for as long.
    expect(await others.answer()).toMatchObject(TOO_SLOW)
    await until(async () => expect(await storedFiles(service)).toEqual([]))
    const next = [await beginUpload(1), await beginUpload(2)]
    for (const upload of next) expect((await finish(upload)).status).toBe(201)
  })

  it('ends within a minute at half the pace', async () => {
    await listen()
    const raw = await beginUpload()
    await store(raw, MIB)
    await trickle(raw, { bytesPerSecond: 2 * KIB, seconds: 59 })
    await store(raw, 2 * KIB)
    pass(1_000)
    expect(await raw.answer()).toMatchObject(TOO_SLOW)
  })

  it('may take as long as it likes at 4 KB a second, with pauses of up to half a minute that it makes good', async () => {
    await listen()
    const raw = await beginUpload()
    const answer = vi.fn()
    void raw.answer().then(answer)
    for (let pauses = 0; pauses < 20; pauses++) {
      pass(29_000)
      await store(raw, 29 * 4 * KIB)
      await trickle(raw, { bytesPerSecond: 4 * KIB, seconds: 5 })
      await store(raw, 4 * KIB)
    }
    expect(answer).not.toHaveBeenCalled()
    raw.write(`${chunk(END)}0\r\n\r\n`)
    await until(() => expect(answer).toHaveBeenCalledWith(expect.objectContaining({ status: 201 })))
  })
})

describe('a disk that is slow', () => {
  type Held = { reached: () => void; isFree: Promise<void> }

  async function* held(content: Readable | Buffer, { reached, isFree }: Held) {
    if (!(content instanceof Readable)) throw new Error('An upload is stored as it arrives')
    const pieces = content[Symbol.asyncIterator]()
    const first = await pieces.next()
    // When this is full, no more is read of what arrives.
    await until(() => expect(content.readableLength).toBeGreaterThanOrEqual(content.readableHighWaterMark))
    reached()
    await isFree
    yield first.value
    yield* { [Symbol.asyncIterator]: () => pieces }
  }

  it.each<[string, (held: Held) => BlobStore['put']]>([
    [
      'to open a file',
      ({ reached, isFree }) =>
        async (key, content) => {
          reached()
          await isFree
          return blobs().put(key, content)
        },
    ],
    ['to take what is written', (hold) => (key, content) => blobs().put(key, Readable.from(held(content, hold)))],
    [
      'to end a file',
      ({ reached, isFree }) =>
        async (key, content) => {
          const stored = await blobs().put(key, content)
          reached()
          await isFree
          return stored
        },
    ],
  ])('%s is not held against the client', async (_when, putAfter) => {
    const { promise: isFree, resolve: end } = Promise.withResolvers<void>()
    const { promise: isReached, resolve: reached } = Promise.withResolvers<void>()
    await listen({ put: putAfter({ reached, isFree }) })
    const raw = await sendUpload()
    const answer = vi.fn()
    void raw.answer().then(answer)
    raw.write(`${rows(MIB)}${chunk(END)}0\r\n\r\n`)
    await isReached
    for (let seconds = 0; seconds < 60; seconds++) pass(1_000)
    expect(answer).not.toHaveBeenCalled()
    end()
    await until(() => expect(answer).toHaveBeenCalledWith(expect.objectContaining({ status: 201 })))
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
        body: { message: 'The server is almost out of disk space and accepts no files. Please try again later.' },
        headers: { 'retry-after': '60' },
      })
      await until(async () => expect(await storedFiles(service)).toEqual([]))
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
          // A close that did not wait for the file would be over before that.
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
  pass(75 * 60_000 + 1)
  expect(await raw.answer()).toMatchObject(refusal('The file did not arrive within 75 minutes. Send it in several files.'))
})

it('an upload may take longer than any other request, also than one on the same connection', async () => {
  await listen({ server: { headersTimeout: 6_000, requestTimeout: 6_000, connectionsCheckingInterval: 20 } })
  const raw = await beginUpload()
  const other = await begin('/emails', 'application/json', '{')
  const timedOut = refusal('The request took too long to arrive.')
  expect(await other.answer()).toMatchObject(timedOut)
  expect((await finish(raw)).status).toBe(201)

  raw.write(head('/emails', 'application/json') + chunk('{'))
  expect(await raw.answer()).toMatchObject(timedOut)
})

it('an upload that is refused on its way ends with its connection: no one keeps listening to it', async () => {
  await listen()
  const raw = await beginUpload()
  raw.write(chunk('\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n'))
  expect(await raw.answer()).toMatchObject({ status: 422, body: { message: 'The `file` field is given twice: send one file.' } })
  await raw.ended()
})
