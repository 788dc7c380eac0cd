import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { openRawSocket, type RawSocket } from '../support/raw-socket.ts'
import { startTestService, type TestService } from '../support/service.ts'

const MIB = 1024 * 1024
const FULL = {
  statusCode: 503,
  name: 'service_unavailable',
  message: '2 requests with bodies over 1 MB are being read already. Please try again in a few seconds.',
}
const TOO_LARGE = { statusCode: 413, name: 'validation_error', message: 'The request body is too large.' }

let service: TestService
let app: FastifyInstance
let url: string
/** Requests whose key was recognised: the gate is the next thing that they meet. */
let recognised = 0
const sockets: RawSocket[] = []

async function listen(timeoutMs?: number): Promise<void> {
  const { context } = service.service
  const { apiKeys } = context.repositories
  const used = (id: string) => {
    recognised += 1
    apiKeys.used(id)
  }
  const repositories = { ...context.repositories, apiKeys: { ...apiKeys, used } }
  app = await buildApp({ ...context, repositories }, timeoutMs === undefined ? {} : { bodyGate: { timeoutMs } })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

beforeAll(async () => {
  service = await startTestService({ environment: { REQUEST_BYTES_MAX: String(4 * MIB) } })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  await app.close()
})
afterAll(() => service.close())

/** A body that is exactly so many bytes and not valid for any operation: it is read, judged and forgotten. */
const bodyOf = (bytes: number): string => `{"subject":"${'x'.repeat(bytes - 14)}"}`

/** Opens a request and sends as much of its body as is given. */
async function begin(headers: string, text = ''): Promise<RawSocket> {
  const raw = await openRawSocket(url)
  sockets.push(raw)
  raw.write(
    `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${text}`,
  )
  return raw
}

const large = (bytes = 2 * MIB) => begin(`Content-Length: ${bytes}`, '{')
const chunked = () => begin('Transfer-Encoding: chunked', '1\r\n{\r\n')
const finish = (raw: RawSocket, bytes = 2 * MIB) => {
  raw.write(bodyOf(bytes).slice(1))
  return raw.answer()
}

/** Whether a place is free: a large request of its own gets past the gate. */
const isFree = async (): Promise<boolean> => {
  const raw = await large()
  const { status } = await finish(raw)
  raw.close()
  return status !== 503
}

/** Two large requests that have been let in. */
async function occupy(open: () => Promise<RawSocket> = large): Promise<[RawSocket, RawSocket]> {
  const before = recognised
  const both: [RawSocket, RawSocket] = [await open(), await open()]
  await vi.waitFor(() => expect(recognised).toBe(before + 2), { interval: 5 })
  await new Promise(setImmediate)
  return both
}

describe('the body gate', () => {
  it.each([
    ['with their length', large],
    ['in chunks, however small', chunked],
  ])('lets two large bodies in at once (%s), and answers 503 to the third', async (_how, open) => {
    await listen()
    await occupy(open)
    for (const third of [await large(), await chunked()]) {
      const answer = await third.answer()
      expect(answer).toMatchObject({ status: 503, body: FULL, headers: { 'retry-after': '5', connection: 'close' } })
      await third.ended()
    }
  })

  it('lets small bodies pass at any time, up to 1 MB', async () => {
    await listen()
    await occupy()
    const small = await begin(`Content-Length: ${MIB}`, bodyOf(MIB))
    expect(await small.answer()).toMatchObject({ status: 422, body: { message: 'Missing `from` field.' } })
    const none = await begin('Content-Length: 0')
    expect((await none.answer()).status).toBe(422)
  })

  it('lets smaller bodies in until they are 64 MB together, and answers 503 to more; ordinary ones always pass', async () => {
    await listen()
    const before = recognised
    const open = await Promise.all(Array.from({ length: 64 }, () => begin(`Content-Length: ${MIB}`, '{')))
    await vi.waitFor(() => expect(recognised).toBe(before + 64), { interval: 5 })
    await new Promise(setImmediate)

    const more = await begin(`Content-Length: ${16 * 1024 + 1}`)
    expect(await more.answer()).toMatchObject({
      status: 503,
      body: {
        statusCode: 503,
        name: 'service_unavailable',
        message: 'Requests with bodies of 64 MB together are being read already. Please try again in a few seconds.',
      },
      headers: { 'retry-after': '5', connection: 'close' },
    })
    await more.ended()
    const ordinary = await begin(`Content-Length: ${16 * 1024}`, bodyOf(16 * 1024))
    expect((await ordinary.answer()).status).toBe(422)

    // Half are heard out, of half the client goes away: all that they held is free again.
    for (const [index, raw] of open.entries()) {
      if (index % 2 === 0) raw.close()
      else expect((await finish(raw, MIB)).status).toBe(422)
    }
    await vi.waitFor(
      async () => {
        const again = await Promise.all(Array.from({ length: 64 }, () => begin(`Content-Length: ${MIB}`, bodyOf(MIB))))
        const statuses = await Promise.all(again.map(async (raw) => (await raw.answer()).status))
        expect(new Set(statuses)).toEqual(new Set([422]))
      },
      { timeout: 20_000 },
    )
  })

  it('counts one byte over 1 MB as large', async () => {
    await listen()
    await occupy()
    expect((await (await begin(`Content-Length: ${MIB + 1}`)).answer()).status).toBe(503)
  })

  it('takes no place for a request without a valid key', async () => {
    await listen()
    for (let count = 0; count < 3; count += 1) {
      const raw = await openRawSocket(url)
      sockets.push(raw)
      raw.write('POST /emails HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2097152\r\n\r\n{')
      expect((await raw.answer()).status).toBe(401)
    }
    expect(await isFree()).toBe(true)
  })

  it('hears both out, and has both places free again once they are answered', async () => {
    await listen()
    for (let round = 0; round < 3; round += 1) {
      const both = await occupy()
      for (const raw of both) expect(await finish(raw)).toMatchObject({ status: 422, body: { message: 'Missing `from` field.' } })
    }
    await vi.waitFor(async () => expect(await isFree()).toBe(true))
  })

  it.each<[how: string, end: (raw: RawSocket) => Promise<void>]>([
    ['whose client goes away', async (raw) => raw.close()],
    [
      'that is not JSON',
      async (raw) => {
        raw.write('x'.repeat(2 * MIB - 1))
        expect((await raw.answer()).status).toBe(400)
      },
    ],
  ])('frees the place of a body %s', async (_how, end) => {
    await listen()
    const both = await occupy()
    for (const raw of both) await end(raw)
    // Both: a place that leaked would let only one of two in.
    await vi.waitFor(async () => {
      const [one, two] = [await large(), await large()]
      const answers = await Promise.all([finish(one), finish(two)])
      expect(answers.map(({ status }) => status)).toEqual([422, 422])
    })
  })

  it('frees the place of a chunked body that breaks the rules of HTTP', async () => {
    await listen()
    for (const raw of await occupy(chunked)) {
      raw.write('zz\r\n')
      await raw.ended()
    }
    await vi.waitFor(async () => expect(await isFree()).toBe(true))
  })

  it('takes an accepted request through, and frees its place', async () => {
    await listen()
    const body = { from: 'a@example.com', to: 'delivered@simulator.test', subject: 'x', text: 'x'.repeat(2 * MIB) }
    for (let count = 0; count < 4; count += 1) {
      const response = await fetch(`${url}/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(response.status).toBe(200)
      await response.text()
    }
  })

  it('reads every byte of a large body, however it is cut', async () => {
    await listen()
    const text = JSON.stringify({
      from: 'a@example.com',
      to: 'delivered@simulator.test',
      subject: 'x',
      text: `${'é😀'.repeat(200_000)}end`,
    })
    const bytes = Buffer.from(text)
    for (const size of [1_000, 65_537, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
      const response = await fetch(`${url}/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: ReadableStream.from(chunks),
        duplex: 'half',
      } as RequestInit)
      const { id } = (await response.json()) as { id: string }
      const stored = await service.call('GET', `/emails/${id}`)
      expect((stored.body as { text: string }).text).toBe(`${'é😀'.repeat(200_000)}end`)
    }
  })
})

describe('a slow body', () => {
  it.each([
    ['with its length', large],
    ['in chunks', chunked],
  ])('is answered 408 after its time and loses its place (%s)', async (_how, open) => {
    await listen(300)
    const answers = await Promise.all([(await open()).answer(), (await open()).answer()])
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 408,
        body: { statusCode: 408, name: 'validation_error', message: 'The request body did not arrive within 0.3 seconds.' },
        headers: { connection: 'close' },
      })
    }
    await vi.waitFor(async () => expect(await isFree()).toBe(true))
  })

  it('cannot buy time by sending byte after byte', async () => {
    await listen(300)
    const raw = await large()
    const dripping = setInterval(() => raw.write('x'), 20)
    try {
      expect((await raw.answer()).status).toBe(408)
    } finally {
      clearInterval(dripping)
    }
  })
})

describe('REQUEST_BYTES_MAX', () => {
  it('refuses a larger body by its length alone', async () => {
    await listen()
    const raw = await begin(`Content-Length: ${4 * MIB + 1}`)
    expect(await raw.answer()).toMatchObject({ status: 413, body: TOO_LARGE, headers: { connection: 'close' } })
    await raw.ended()
  })

  it('takes a body of exactly that size', async () => {
    await listen()
    const raw = await large(4 * MIB)
    expect(await finish(raw, 4 * MIB)).toMatchObject({ status: 422, body: { message: 'Missing `from` field.' } })
  })

  it('stops reading a chunked body that grows beyond it, and frees the place', async () => {
    await listen()
    const chunk = `100000\r\n${'x'.repeat(MIB)}\r\n`
    for (let round = 0; round < 3; round += 1) {
      const raw = await begin('Transfer-Encoding: chunked')
      for (let count = 0; count < 5; count += 1) raw.write(chunk)
      expect(await raw.answer()).toMatchObject({ status: 413, body: TOO_LARGE })
      raw.close()
    }
    await vi.waitFor(async () => expect(await isFree()).toBe(true))
  })

  it('reads so much of what endless clients send and no more', async () => {
    await listen()
    const connections: Socket[] = []
    app.server.on('connection', (socket) => connections.push(socket))
    const chunk = Buffer.from(`100000\r\n${'x'.repeat(MIB)}\r\n`)
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const raw = await begin('Transfer-Encoding: chunked')
        raw.socket.allowHalfOpen = true
        for (let count = 0; count < 20; count += 1) raw.socket.write(chunk)
        const { status } = await raw.answer()
        await raw.ended()
        return status
      }),
    )
    expect(new Set(statuses)).toEqual(new Set([413, 503]))
    // Each sent 20 MB. Those let in are heard for 4 MB; then, as the others from the beginning, for twice as much until they have read their answer.
    const bytes = connections.map(({ bytesRead }) => bytesRead)
    expect(Math.max(...bytes)).toBeLessThan(13 * MIB)
    expect(bytes.filter((count) => count > 9 * MIB)).toHaveLength(statuses.filter((status) => status === 413).length)
  })
})
