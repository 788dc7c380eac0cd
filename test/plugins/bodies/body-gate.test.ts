import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { BodyGateOptions } from '../../../src/plugins/bodies/body-gate.ts'
import { openRawSocket, type RawSocket } from '../../support/clients/raw-requests.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MIB = 1024 * 1024
const full = (whose: string, mib: number) => ({
  status: 503,
  body: {
    statusCode: 503,
    name: 'service_unavailable',
    message: `${whose} with bodies of ${mib} MB together are being read already. Please try again in a few seconds.`,
  },
  headers: { 'retry-after': '5', connection: 'close' },
})
const TOO_LARGE = { statusCode: 413, name: 'validation_error', message: 'The request body is too large.' }

let app: FastifyInstance
let url: string
/** Requests whose key was recognized. The gate is the next step for them. */
let recognized = 0
const sockets: RawSocket[] = []

async function listen(bodyGate: BodyGateOptions = {}, clock = createMovingClock()): Promise<void> {
  const { context } = service.service
  const { apiKeys } = context.repositories
  const used = (id: string) => {
    recognized += 1
    apiKeys.used(id)
  }
  const repositories = { ...context.repositories, apiKeys: { ...apiKeys, used } }
  app = await buildApp({ ...context, clock, repositories }, { bodyGate: { roomWaitMsMax: 0, ...bodyGate } })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

const service = shared(() => startTestService({ environment: { REQUEST_BYTES_MAX: String(4 * MIB) } }))
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  await app.close()
})

/** A body of exactly this many bytes that is not valid for any operation: it is read, refused and forgotten. */
const bodyOf = (bytes: number): string => `{"subject":"${'x'.repeat(bytes - 14)}"}`

/** Opens a request and sends the given part of its body. */
async function begin(headers: string, text = '', { method = 'POST', path = '/emails', token = service.token } = {}): Promise<RawSocket> {
  const raw = await openRawSocket(url)
  sockets.push(raw)
  raw.write(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${text}`,
  )
  return raw
}

const large = (bytes = 2 * MIB) => begin(`Content-Length: ${bytes}`, '{')
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
/** More than an ordinary email has. */
const chunked = (token = service.token) => begin('Transfer-Encoding: chunked', chunk(`{${' '.repeat(20_000)}`), { token })
const finish = (raw: RawSocket, bytes = 2 * MIB) => {
  raw.write(bodyOf(bytes).slice(1))
  return raw.answer()
}

/** Whether a place is free: another large request passes the gate. */
const isFree = async (): Promise<boolean> => {
  const raw = await large()
  const { status } = await finish(raw)
  raw.close()
  return status !== 503
}

/** Two large requests that have been let in. */
async function occupy(open: () => Promise<RawSocket> = large): Promise<[RawSocket, RawSocket]> {
  const before = recognized
  const both: [RawSocket, RawSocket] = [await open(), await open()]
  await until(() => expect(recognized).toBe(before + 2))
  await new Promise(setImmediate)
  return both
}

describe('the body gate', () => {
  it.each([
    ['with their length', large],
    ['in chunks', () => chunked()],
  ])('lets two of the largest bodies of a team in at once (%s), and answers 503 to its third', async (_how, open) => {
    await listen()
    await occupy(open)
    for (const third of [await large(), await chunked()]) {
      expect(await third.answer()).toMatchObject(full('Requests of your team', 8))
      await third.ended()
    }
  })

  it('leaves room for a large body of another team, and answers 503 when all of it is taken', async () => {
    await listen()
    await occupy()
    const { token } = service.other
    const theirs = await begin(`Content-Length: ${3 * MIB}`, bodyOf(3 * MIB), { token })
    expect(await theirs.answer()).toMatchObject({ status: 422, body: { message: 'Missing `to` field.' } })

    const before = recognized
    await begin(`Content-Length: ${3 * MIB}`, '{', { token })
    await until(() => expect(recognized).toBe(before + 1))
    await new Promise(setImmediate)
    expect(await (await begin(`Content-Length: ${3 * MIB}`, '{', { token })).answer()).toMatchObject(full('Requests', 12))
  })

  it('lets one that finds no room wait, unread, and in as soon as there is some', async () => {
    await listen({ roomWaitMsMax: 60_000 })
    const [first] = await occupy()
    const third = await begin(`Content-Length: ${2 * MIB}`, bodyOf(2 * MIB))
    expect((await finish(first)).status).toBe(422)
    first.close()
    expect(await third.answer()).toMatchObject({ status: 422, body: { message: 'Missing `to` field.' } })
  })

  it('keeps no room for one that is gone while it waits', async () => {
    await listen({ roomWaitMsMax: 60_000 })
    const both = await occupy()
    const gone = await large()
    gone.close()
    for (const raw of both) expect((await finish(raw)).status).toBe(422)
    expect(await isFree()).toBe(true)
  })

  it('lets small bodies pass at any time, up to 1 MB and not a byte more, and those in chunks up to 16 KB', async () => {
    await listen()
    await occupy()
    const small = await begin(`Content-Length: ${MIB}`, bodyOf(MIB))
    expect(await small.answer()).toMatchObject({ status: 422, body: { message: 'Missing `to` field.' } })
    const none = await begin('Content-Length: 0')
    expect((await none.answer()).status).toBe(422)
    const inChunks = await begin('Transfer-Encoding: chunked', `${chunk(bodyOf(8 * 1024))}0\r\n\r\n`)
    expect((await inChunks.answer()).status).toBe(422)
    expect((await (await begin(`Content-Length: ${MIB + 1}`)).answer()).status).toBe(503)
  })

  it('lets smaller bodies of a team in until they are 32 MB together, and answers 503 to more; ordinary ones and other teams always pass', async () => {
    await listen()
    const before = recognized
    const open = await Promise.all(Array.from({ length: 32 }, () => begin(`Content-Length: ${MIB}`, '{')))
    await until(() => expect(recognized).toBe(before + 32))
    await new Promise(setImmediate)

    const more = await begin(`Content-Length: ${16 * 1024 + 1}`)
    expect(await more.answer()).toMatchObject(full('Requests of your team', 32))
    await more.ended()
    const ordinary = await begin(`Content-Length: ${16 * 1024}`, bodyOf(16 * 1024))
    expect((await ordinary.answer()).status).toBe(422)
    const theirs = await begin(`Content-Length: ${MIB}`, bodyOf(MIB), { token: service.other.token })
    expect((await theirs.answer()).status).toBe(422)

    // Half send to the end, and the clients of the other half disconnect. Everything that they held is free again.
    for (const [index, raw] of open.entries()) {
      if (index % 2 === 0) raw.close()
      else expect((await finish(raw, MIB)).status).toBe(422)
    }
    await until(async () => {
      const again = await Promise.all(Array.from({ length: 32 }, () => begin(`Content-Length: ${MIB}`, bodyOf(MIB))))
      const statuses = await Promise.all(again.map(async (raw) => (await raw.answer()).status))
      expect(new Set(statuses)).toEqual(new Set([422]))
    })
  })

  it('is not for public routes: strangers with bodies in chunks keep no one out, and are cut off at 16 KB', async () => {
    await listen()
    const stranger = { token: 'no-key' }
    const open = [
      await begin('Transfer-Encoding: chunked', chunk('x'.repeat(10_000)), { ...stranger, path: '/unsubscribe/-' }),
      await begin('Origin: http://x\r\nTransfer-Encoding: chunked', chunk('x'.repeat(10_000)), { ...stranger, path: '/console/sign-in' }),
    ]
    await occupy()
    const statusLines = open.map(
      ({ socket }) => new Promise((done) => socket.once('data', (bytes) => done(bytes.toString().split('\r\n', 1)[0]))),
    )
    for (const raw of open) raw.write(chunk('x'.repeat(10_000)))
    expect(await Promise.all(statusLines)).toEqual(Array(2).fill('HTTP/1.1 413 Payload Too Large'))
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
      for (const raw of both) expect(await finish(raw)).toMatchObject({ status: 422, body: { message: 'Missing `to` field.' } })
    }
    await until(async () => expect(await isFree()).toBe(true))
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
    // Both, because only one of two would be let in if a place leaked.
    await until(async () => {
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
    await until(async () => expect(await isFree()).toBe(true))
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

  it('holds a body in few pieces, although it comes in chunks of one byte', async () => {
    await listen()
    const text = bodyOf(100_000)
    const held = vi.spyOn(Buffer, 'concat')
    try {
      const raw = await begin('Transfer-Encoding: chunked', `${[...text].map(chunk).join('')}0\r\n\r\n`)
      const { status } = await raw.answer()
      const pieces = held.mock.calls.filter(([list]) => list.reduce((sum, { length }) => sum + length, 0) === text.length)
      expect({ status, pieces: pieces.map(([list]) => list.length) }).toEqual({ status: 422, pieces: [7] })
    } finally {
      held.mockRestore()
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
    ['in chunks', () => chunked()],
  ])('is answered 408 after its time and loses its place (%s)', async (_how, open) => {
    await listen({ timeoutMs: 300 })
    const answers = await Promise.all([(await open()).answer(), (await open()).answer()])
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 408,
        body: { statusCode: 408, name: 'validation_error', message: 'The request body did not arrive within 0.3 seconds.' },
        headers: { connection: 'close' },
      })
    }
    await until(async () => expect(await isFree()).toBe(true))
  })

  it('cannot buy time by sending byte after byte', async () => {
    await listen({ timeoutMs: 300 })
    const raw = await large()
    const dripping = setInterval(() => raw.write('x'), 20)
    try {
      expect((await raw.answer()).status).toBe(408)
    } finally {
      clearInterval(dripping)
    }
  })
})

describe('a body that comes slower than 16 KB a second', () => {
  it.each([
    ['small', 17 * 1024],
    ['large', 2 * MIB],
  ])('is answered 408 when it is 10 seconds behind, and loses its place (%s)', async (_size, bytes) => {
    const clock = createMovingClock()
    await listen({ checkedEveryMs: 20 }, clock)
    const before = recognized
    const raw = await begin(`Content-Length: ${bytes}`, '{')
    await until(() => expect(recognized).toBe(before + 1))
    await new Promise(setImmediate)
    clock.advance(10_001)
    expect(await raw.answer()).toMatchObject({
      status: 408,
      body: {
        statusCode: 408,
        name: 'validation_error',
        message: 'The request body arrives too slowly: at least 16 KB a second are needed, and a pause may last 10 seconds.',
      },
      headers: { connection: 'close' },
    })
  })
})

it('a body that was refused unread is no longer watched, and its end harms nothing', async () => {
  const clock = createMovingClock()
  await listen({ checkedEveryMs: 20, timeoutMs: 200 }, clock)
  const raw = await openRawSocket(url)
  sockets.push(raw)
  raw.socket.allowHalfOpen = true
  raw.write(
    `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: text/csv\r\nContent-Length: ${2 * MIB}\r\n\r\n{`,
  )
  expect((await raw.answer()).status).toBe(415)
  clock.advance(20_000)
  // One that is read, and refused at the same time.
  expect((await (await large()).answer()).status).toBe(408)
  expect(await isFree()).toBe(true)
})

describe('REQUEST_BYTES_MAX', () => {
  it('takes a body of exactly that size, and refuses a larger one by its length alone', async () => {
    await listen()
    const raw = await begin(`Content-Length: ${4 * MIB + 1}`)
    expect(await raw.answer()).toMatchObject({ status: 413, body: TOO_LARGE, headers: { connection: 'close' } })
    await raw.ended()
    const whole = await large(4 * MIB)
    expect(await finish(whole, 4 * MIB)).toMatchObject({ status: 422, body: { message: 'Missing `to` field.' } })
  })

  it('stops reading a chunked body that grows beyond it, and frees the place', async () => {
    await listen()
    const mib = chunk('x'.repeat(MIB))
    for (let round = 0; round < 3; round += 1) {
      const raw = await begin('Transfer-Encoding: chunked')
      for (let count = 0; count < 5; count += 1) raw.write(mib)
      expect(await raw.answer()).toMatchObject({ status: 413, body: TOO_LARGE })
      raw.close()
    }
    await until(async () => expect(await isFree()).toBe(true))
  })

  it('reads so much of what endless clients send and no more', async () => {
    await listen()
    const connections: Socket[] = []
    app.server.on('connection', (socket) => connections.push(socket))
    const mib = Buffer.from(chunk('x'.repeat(MIB)))
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const raw = await begin('Transfer-Encoding: chunked')
        raw.socket.allowHalfOpen = true
        for (let count = 0; count < 20; count += 1) raw.socket.write(mib)
        const { status } = await raw.answer()
        await raw.ended()
        return status
      }),
    )
    expect(new Set(statuses)).toEqual(new Set([413, 503]))
    // Each sent 20 MB. Those that were let in are read for 4 MB, and then, like the others from the beginning, for twice as much until they have
    // read their answer.
    const bytes = connections.map(({ bytesRead }) => bytesRead)
    expect(Math.max(...bytes)).toBeLessThan(13 * MIB)
    expect(bytes.filter((count) => count > 9 * MIB)).toHaveLength(statuses.filter((status) => status === 413).length)
  })
})
