import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { digestToken } from '../../src/lib/ids.ts'
import { openRawSocket } from '../support/clients/raw-requests.ts'
import { until } from '../support/clocks/until.ts'
import { type Answer, startTestService, type TestService } from '../support/servers/service.ts'

let service: TestService

/** These tests take real time. One limit is so large that a slow machine cannot use it up, and one so small that any machine does. */
async function start(environment: Record<string, string>): Promise<void> {
  service = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '100000', ...environment } })
}

const limits = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => /^(ratelimit|retry-after|x-ratelimit)/.test(name)))
const UNKNOWN = 're_12345678_123456789012345678901234'

/** A request that a proxy passes on from an address. */
const from = (address: string, token: string | null = UNKNOWN) =>
  service.call('GET', '/emails', { token, headers: { 'x-forwarded-for': address } })

describe('the limit of a team', () => {
  afterEach(() => service.close())

  it('is told on every response of an operation to a valid key, errors included', async () => {
    await start({ RATE_LIMIT_PER_SECOND: '1000' })
    const answers = [
      await service.call('GET', '/emails'),
      await service.call('GET', '/emails/x'),
      await service.call('POST', '/emails', { body: '{' }),
      await service.call('POST', '/emails', { body: 'x', headers: { 'content-type': 'text/plain' } }),
      await service.call('POST', '/api-keys', { token: service.sendingToken, body: {} }),
      await service.call('POST', '/emails', { body: {}, headers: { 'idempotency-key': 'x'.repeat(300) } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 400, 415, 401, 400])
    for (const answer of answers) {
      expect(limits(answer)).toEqual({
        'ratelimit-limit': '1000',
        'ratelimit-remaining': expect.stringMatching(/^99\d$/),
        'ratelimit-reset': expect.stringMatching(/^[01]$/),
        'ratelimit-policy': '"default";q=1000;w=1',
        ratelimit: expect.stringMatching(/^"default";r=99\d;t=[01]$/),
      })
    }
  })

  it('counts the bytes of bodies: one of any size gets through, and the next waits until it is paid for', async () => {
    await start({ RATE_LIMIT_BYTES_PER_SECOND: '100' })
    const contact = (name: string, size: number) =>
      service.call('POST', '/contacts', { body: { email: `${name}@example.com`, unknown: 'x'.repeat(size) } })
    expect((await contact('a', 100_000)).status).toBe(201)
    const { status, body, headers } = await contact('b', 10)
    expect({ status, body }).toEqual({
      status: 429,
      body: { statusCode: 429, name: 'rate_limit_exceeded', message: 'Your team may send 100 bytes a second. Please wait and try again.' },
    })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(900)
    expect((await service.call('GET', '/contacts')).status).toBe(200)
  })

  it('refuses what is too much with a 429 that says how long to wait, and nothing is done', async () => {
    await start({ RATE_LIMIT_PER_SECOND: '5' })
    const answers = await Promise.all(Array.from({ length: 60 }, () => service.call('POST', '/api-keys', { body: { name: 'x' } })))
    const refused = answers.filter(({ status }) => status === 429)
    const accepted = answers.filter(({ status }) => status === 201)

    expect(accepted.length + refused.length).toBe(60)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expect(answer.body).toEqual({
        statusCode: 429,
        name: 'rate_limit_exceeded',
        message: 'Your team may make 5 requests a second. Please wait and try again.',
      })
      expect(limits(answer)).toMatchObject({
        'ratelimit-limit': '5',
        'ratelimit-remaining': '0',
        'ratelimit-policy': '"default";q=5;w=1',
        ratelimit: expect.stringMatching(/^"default";r=0;t=[01]$/),
        'retry-after': '1',
      })
    }
    const rows = await service.database.execute(`select 1 from api_keys where name = 'x'`)
    expect(rows).toHaveLength(accepted.length)
  })

  it('is shared by all keys of a team, and by no other team', async () => {
    await start({ RATE_LIMIT_PER_SECOND: '10' })
    const second = await service.createKey(service.teamId)
    // Retried if a slow machine took more than a second for the three.
    await until(
      async () => {
        const [one, two, other] = await Promise.all([
          service.call('GET', '/emails'),
          service.call('GET', '/emails', { token: second }),
          service.call('GET', '/emails', { token: service.other.token }),
        ])
        const remaining = [one, two].map((answer) => Number(limits(answer)['ratelimit-remaining'])).sort()
        expect(remaining).toEqual([8, 9])
        expect(limits(other)['ratelimit-remaining']).toBe('9')
      },
      { interval: 1 },
    )
  })

  it('frees itself after the second', async () => {
    await start({ RATE_LIMIT_PER_SECOND: '1' })
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await service.call('GET', '/emails')).status))
    expect(statuses).toContain(429)
    await expect.poll(async () => (await service.call('GET', '/emails')).status, { interval: 200 }).toBe(200)
  })

  it('frees itself after the second also when the clock was set back by an hour', async () => {
    await start({ RATE_LIMIT_PER_SECOND: '1' })
    await service.call('GET', '/emails')
    const now = Date.now
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000)
    try {
      const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await service.call('GET', '/emails')).status))
      expect(statuses).toContain(429)
      await expect.poll(async () => (await service.call('GET', '/emails')).status, { interval: 200 }).toBe(200)
    } finally {
      clock.mockRestore()
    }
  })

  it('is off at 0', async () => {
    await start({ RATE_LIMIT_PER_SECOND: '0' })
    const answers = await Promise.all(Array.from({ length: 150 }, () => service.call('GET', '/emails')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(limits(answers[0] as Answer)).toEqual({})
  })

  it('is judged before the body is read', async () => {
    await start({ RATE_LIMIT_PER_SECOND: '1' })
    const head = `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\n`
    const raws = await Promise.all(Array.from({ length: 5 }, () => openRawSocket(service.url)))
    for (const raw of raws) raw.write(`${head}Content-Length: 1000000\r\n\r\n`)
    // The one that is let in waits for its body; the others do not.
    expect(await Promise.any(raws.map((raw) => raw.answer()))).toMatchObject({ status: 429, body: { name: 'rate_limit_exceeded' } })
    for (const raw of raws) raw.close()
  })
})

describe('the limit of an address', () => {
  beforeAll(async () => {
    await start({ TRUST_PROXY: '127.0.0.1' })
  })
  afterAll(() => service.close())

  async function fail(address: string, count: number): Promise<number[]> {
    const statuses: number[] = []
    for (let index = 0; index < count; index += 1) statuses.push((await from(address, index % 2 === 0 ? UNKNOWN : null)).status)
    return statuses
  }

  it('answers 429 to failed credentials after 60 in a minute, unknown and missing ones together', async () => {
    expect(await fail('198.18.1.1', 60)).toEqual(Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 403 : 401)))
    const answer = await from('198.18.1.1')
    expect(answer).toMatchObject({
      status: 429,
      body: {
        statusCode: 429,
        name: 'rate_limit_exceeded',
        message: 'More than 60 requests a minute without a valid API key came from your address. Please wait and try again.',
      },
    })
    expect(limits(answer)).toMatchObject({
      'ratelimit-limit': '60',
      'ratelimit-policy': '"default";q=60;w=60',
      ratelimit: expect.stringMatching(/^"default";r=0;t=\d+$/),
      'retry-after': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
    })
  })

  it('never refuses a valid key, nor a path for everyone', async () => {
    await fail('192.0.2.1', 65)
    expect((await from('192.0.2.1')).status).toBe(429)
    expect((await from('192.0.2.1', service.token)).status).toBe(200)
    expect((await from('192.0.2.1', service.sendingToken)).status).toBe(401)
    expect((await service.call('GET', '/health/live', { token: null, headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(200)
  })

  it('does not count valid keys, nor a valid key that may not do this', async () => {
    for (let count = 0; count < 40; count += 1) {
      await from('192.0.3.1', service.token)
      await from('192.0.3.1', service.sendingToken)
    }
    expect((await from('192.0.3.1')).status).toBe(403)
  })

  it('holds for keys that are tried out where there is no operation, whose answer tells nothing about a key', async () => {
    const at = (path: string, token: string | null, address: string) =>
      service.call('GET', path, { token, headers: { 'x-forwarded-for': address } })
    const told = ({ status, body, headers }: Answer) => ({
      status,
      body,
      headers: [...headers.keys()].filter((name) => name !== 'date'),
    })
    const valid = told(await at('/nothing', service.token, '192.0.8.1'))
    expect(valid).toMatchObject({ status: 404 })
    expect(told(await at('/nothing', null, '192.0.8.1'))).toEqual(valid)
    for (let count = 0; count < 60; count += 1) expect(told(await at('/nothing', UNKNOWN, '192.0.8.1'))).toEqual(valid)
    expect(await at('/nothing', UNKNOWN, '192.0.8.1')).toMatchObject({ status: 429, body: { name: 'rate_limit_exceeded' } })
    expect((await from('192.0.8.1')).status).toBe(429)
    expect(told(await at('/nothing', null, '192.0.8.1'))).toEqual(valid)
    expect(told(await at('/nothing', service.token, '192.0.8.1'))).toEqual(valid)
  })

  it('counts each IPv4 address by itself', async () => {
    await fail('192.0.4.1', 61)
    expect((await from('192.0.4.2')).status).toBe(403)
  })

  it('counts an IPv6 network of 64 bits as one, however its addresses are written', async () => {
    for (let count = 0; count < 60; count += 1) expect((await from(`2001:db8:0:1::${count.toString(16)}`)).status).toBe(403)
    expect((await from('2001:0DB8:0000:0001:ffff:ffff:ffff:ffff')).status).toBe(429)
    expect((await from('2001:db8:0:2::1')).status).toBe(403)
  })

  it('believes a trusted proxy only about the hop before it', async () => {
    for (let count = 0; count < 60; count += 1) expect((await from(`10.0.0.${count}, 192.0.7.1`)).status).toBe(403)
    expect((await from('10.0.0.99, 192.0.7.1')).status).toBe(429)
  })
})

describe('a flood of wrong keys', () => {
  afterEach(() => service.close())

  const flood = (count: number, address = '192.0.9.1') =>
    Promise.all(Array.from({ length: count }, () => from(address, `re_${randomUUID()}`)))

  /** Watches the statements that look up keys, and their parameters. */
  function watchLookups() {
    const { apiKeys } = service.service.context.repositories
    const alone = vi.spyOn(apiKeys, 'recognizeAcrossTeams')
    const together = vi.spyOn(apiKeys, 'recognizeManyAcrossTeams')
    return { statements: () => alone.mock.calls.length + together.mock.calls.length, alone, together }
  }

  it('asks the database a few times a second, and lets every right key in, new or known', async () => {
    await start({ TRUST_PROXY: '127.0.0.1' })
    await flood(61)
    const { statements, alone } = watchLookups()
    const startedAt = performance.now()
    const wrong = flood(300)
    const fresh = [await service.createKey(service.teamId), await service.createKey(service.other.teamId)]
    const right = await Promise.all([service.token, ...fresh].map((token) => from('192.0.9.1', token)))
    expect(right.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set((await wrong).map(({ status }) => status))).toEqual(new Set([429]))
    const seconds = (performance.now() - startedAt) / 1_000
    expect(alone).not.toHaveBeenCalled()
    expect(statements()).toBeLessThanOrEqual(Math.ceil(seconds * 5))
  })

  it('of one moment asks for ten keys by themselves, and for the rest together', async () => {
    await start({ TRUST_PROXY: '127.0.0.1' })
    const found = Promise.withResolvers<null>()
    const { alone, together } = watchLookups()
    alone.mockImplementation(() => found.promise)
    const answers = flood(100)
    // Until all have come: on a busy machine the last come after the first of those that are asked for together.
    await until(() => expect(together.mock.calls.flatMap(([digests]) => digests)).toHaveLength(90))
    found.resolve(null)
    await answers
    expect(alone).toHaveBeenCalledTimes(10)
    expect(together.mock.calls.flatMap(([digests]) => digests)).toHaveLength(90)
  })

  it('of many addresses asks for twelve keys by themselves, and for the rest together', async () => {
    await start({ TRUST_PROXY: '127.0.0.1' })
    const found = Promise.withResolvers<null>()
    const { alone, together } = watchLookups()
    alone.mockImplementation(() => found.promise)
    const answers = Promise.all(Array.from({ length: 60 }, (_, index) => flood(1, `192.0.10.${index}`)))
    await until(() => expect(together.mock.calls.flatMap(([digests]) => digests)).toHaveLength(48))
    found.resolve(null)
    await answers
    expect(alone).toHaveBeenCalledTimes(12)
  })

  it.each([
    ['the same address', ['192.0.9.1']],
    ['five addresses', ['192.0.9.1', '192.0.9.2', '192.0.9.3', '192.0.9.4', '192.0.9.5']],
  ])('from %s never refuses a key that was used before, nor makes it wait for a place', async (_who, addresses) => {
    await start({ TRUST_PROXY: '127.0.0.1' })
    const { app, context } = service.service
    for (const address of addresses) await flood(61, address)
    expect((await from('192.0.9.1', service.token)).status).toBe(200)
    // Without a socket each, so that all of them wait in one statement.
    const bad = (address: string) =>
      Array.from({ length: 1_100 }, () =>
        app?.inject({ url: '/emails', headers: { authorization: `Bearer re_${randomUUID()}`, 'x-forwarded-for': address } }),
      )
    // After a second the answer is forgotten, so the key has to be looked up.
    await until(() => expect(context.repositories.apiKeys.rememberedAcrossTeams(digestToken(service.token))).toBeUndefined())
    const flooding = Promise.all(addresses.flatMap(bad))
    const used = await app?.inject({
      url: '/emails',
      headers: { authorization: `Bearer ${service.token}`, 'x-forwarded-for': '192.0.9.1' },
    })
    expect(used?.statusCode).toBe(200)
    await flooding
  })

  it('keeps no other address from being asked for', async () => {
    await start({ TRUST_PROXY: '127.0.0.1' })
    await flood(200)
    const { alone } = watchLookups()
    expect((await from('192.0.9.2', await service.createKey(service.teamId))).status).toBe(200)
    expect(alone).toHaveBeenCalledTimes(1)
  })

  it('is not limited at RATE_LIMIT_PER_SECOND=0', async () => {
    await start({ TRUST_PROXY: '127.0.0.1', RATE_LIMIT_PER_SECOND: '0' })
    expect(new Set((await flood(100)).map(({ status }) => status))).toEqual(new Set([403]))
  })
})

describe('the limit of an address that no one vouches for', () => {
  afterEach(() => service.close())

  it('believes no X-Forwarded-For', async () => {
    await start({})
    for (let count = 0; count < 60; count += 1) expect((await from(`192.0.6.${count}`)).status).toBe(403)
    expect((await from('192.0.6.99')).status).toBe(429)
  })
})
