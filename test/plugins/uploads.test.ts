import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { storedFiles } from '../support/contact-imports.ts'
import { createMovingClock, type MovingClock } from '../support/moving-clock.ts'
import { openRawSocket, type RawSocket } from '../support/raw-socket.ts'
import { startTestService, type TestService } from '../support/service.ts'

const IDLE_MS = 300
const KIB = 1024

let service: TestService
let clock: MovingClock
let app: FastifyInstance
let url: string
const sockets: RawSocket[] = []

type Listening = { idleMs?: number; server?: object }

async function listen({ server, ...options }: Listening = {}): Promise<void> {
  clock = createMovingClock()
  app = await buildApp({ ...service.service.context, clock }, { uploads: options })
  Object.assign(app.server, server)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

beforeAll(async () => {
  service = await startTestService()
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  await app.close()
  // Those of uploads that have just been broken off are still on their way out.
  await vi.waitFor(async () => {
    for (const key of await storedFiles(service)) await service.service.context.gateways.blobs.remove(key)
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

async function beginUpload(): Promise<RawSocket> {
  const raw = await begin(
    '/contacts/imports',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n',
  )
  await vi.waitFor(async () => expect(await storedFiles(service)).toHaveLength(1))
  return raw
}

const finish = (raw: RawSocket) => {
  raw.write(`${chunk(END)}0\r\n\r\n`)
  return raw.answer()
}

const refusal = (message: string) => ({ status: 408, body: { statusCode: 408, name: 'validation_error', message } })

it('an upload of which nothing arrives any more ends with a 408, and nothing of it stays', async () => {
  await listen({ idleMs: IDLE_MS })
  expect(await (await beginUpload()).answer()).toMatchObject(refusal('Nothing of the request body arrived for 0.3 seconds.'))
  await vi.waitFor(async () => expect(await storedFiles(service)).toEqual([]))
})

it('an upload may take longer than that as long as something arrives', async () => {
  await listen({ idleMs: IDLE_MS })
  const raw = await beginUpload()
  const startedAt = performance.now()
  for (let row = 0; row < 6; row++) {
    await new Promise((done) => setTimeout(done, IDLE_MS / 3))
    raw.write(chunk(`ada${row}@example.com\n`))
  }
  expect((await finish(raw)).status).toBe(201)
  expect(performance.now() - startedAt).toBeGreaterThan(IDLE_MS)
})

it('an upload that brings less than 4 KB a second ends with a 408, and nothing of it stays', async () => {
  await listen()
  const raw = await beginUpload()
  clock.advance(30_100)
  raw.write(chunk('ada@example.com\n'))
  expect(await raw.answer()).toMatchObject(refusal('The file arrives too slowly: at least 4 KB a second are needed.'))
  await vi.waitFor(async () => expect(await storedFiles(service)).toEqual([]))
})

it('an upload is not judged by its first 30 seconds, and may be as slow as 4 KB a second then', async () => {
  await listen()
  const raw = await beginUpload()
  clock.advance(29_900)
  raw.write(chunk('ada@example.com\n'.repeat(32 * KIB)))
  await vi.waitFor(async () => expect(await storedBytes()).toBeGreaterThan(31 * 4 * KIB))
  clock.advance(1_000)
  expect((await finish(raw)).status).toBe(201)
})

it('an upload ends after 75 minutes, however much has arrived', async () => {
  await listen()
  const raw = await beginUpload()
  clock.advance(75 * 60_000 + 1)
  raw.write(chunk('ada@example.com\n'))
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

it('an upload that is refused on its way ends with its connection: nobody goes on listening to it', async () => {
  await listen()
  const raw = await beginUpload()
  raw.write(chunk('\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n'))
  expect(await raw.answer()).toMatchObject({ status: 422, body: { message: 'The `file` field is there twice: send one file.' } })
  await raw.ended()
})
