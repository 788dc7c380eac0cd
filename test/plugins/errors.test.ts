import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { Failure, type FailureKind } from '../../src/lib/failure.ts'
import { type Database, openDatabase } from '../../src/repositories/database.ts'
import { createRepositories } from '../../src/repositories/repositories.ts'
import { createKeyRecognition } from '../../src/services/recognize-keys.ts'
import { openRawSocket } from '../support/clients/raw-socket.ts'
import { until } from '../support/clocks/until.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

const ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const UNEXPECTED = {
  statusCode: 500,
  name: 'application_error',
  message: 'Something went wrong on our side. Please try again; if it happens again, report the request id of this response.',
}

const KINDS: Record<FailureKind, [status: number, name: string]> = {
  validation: [422, 'validation_error'],
  unreadableBody: [400, 'validation_error'],
  invalidIdempotencyKey: [400, 'invalid_idempotency_key'],
  missingApiKey: [401, 'missing_api_key'],
  restrictedApiKey: [401, 'restricted_api_key'],
  invalidAccessToken: [401, 'invalid_access_token'],
  invalidApiKey: [403, 'invalid_api_key'],
  invalidPermission: [403, 'invalid_permission'],
  forbidden: [403, 'validation_error'],
  invalidLink: [403, 'invalid_link'],
  notFound: [404, 'not_found'],
  gone: [410, 'gone'],
  methodNotAllowed: [405, 'method_not_allowed'],
  requestTimeout: [408, 'validation_error'],
  idempotencyConflict: [409, 'invalid_idempotent_request'],
  bodyTooLarge: [413, 'validation_error'],
  unsupportedMediaType: [415, 'validation_error'],
  rateLimited: [429, 'rate_limit_exceeded'],
  unavailable: [503, 'service_unavailable'],
}

/** What a handler may throw that is not a Failure: each must end in the same sentence. */
const UNFORESEEN: Record<string, () => unknown> = {
  error: () => new Error('secret detail at /srv/secret.ts'),
  'type-error': () => new TypeError('x is not a function'),
  sql: () => Object.assign(new Error('relation "secret" does not exist'), { code: '42P01' }),
  status: () => Object.assign(new Error('teapot'), { statusCode: 418 }),
  text: () => 'just a secret string',
  nothing: () => undefined,
  circular: () => {
    const error = new Error('round secret')
    error.cause = error
    return error
  },
}

let service: TestService
/** An application with routes that fail on purpose. */
let failing: { url: string; close(): Promise<unknown> }
/** An application whose database is unreachable. */
let away: { url: string; database: Database; close(): Promise<unknown> }

beforeAll(async () => {
  service = await startTestService({ environment: { TRUST_PROXY: '127.0.0.1' } })
  const { context } = service.service

  const app = await buildApp(context)
  const isPublic = { config: { access: 'public' as const } }
  for (const kind of Object.keys(KINDS) as FailureKind[]) {
    app.get(`/kind/${kind}`, isPublic, async () => {
      throw new Failure(kind, `Sentence of ${kind}.`, {
        ...(kind === 'rateLimited' && { retryAfterSeconds: 7 }),
        cause: new Error('secret cause'),
      })
    })
  }
  for (const [name, make] of Object.entries(UNFORESEEN)) {
    app.get(`/unforeseen/${name}`, isPublic, async () => {
      throw make()
    })
  }
  app.get(
    '/unforeseen/serializer',
    { ...isPublic, schema: { response: { 200: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } } } } },
    async () => ({}),
  )
  failing = { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() }

  const database = openDatabase({ databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing', onError: () => {} })
  const blind = await buildApp({
    ...context,
    repositories: createRepositories(database, {
      clock: context.clock,
      installation: context.config.installation,
      onLost: () => {},
      onUnreadable: () => {},
    }),
  })
  away = {
    url: await blind.listen({ host: '127.0.0.1', port: 0 }),
    database,
    async close() {
      await blind.close()
      await database.close()
    },
  }
})
afterAll(async () => {
  await Promise.all([failing.close(), away.close()])
  await service.close()
})

describe('an error', () => {
  it.each(Object.entries(KINDS))('of the kind %s has its status, name and sentence, and nothing else', async (kind, [status, name]) => {
    const response = await fetch(`${failing.url}/kind/${kind}`)
    expect({ status: response.status, type: response.headers.get('content-type'), body: await response.json() }).toEqual({
      status,
      type: 'application/json; charset=utf-8',
      body: { statusCode: status, name, message: `Sentence of ${kind}.` },
    })
    expect(response.headers.get('x-request-id')).toMatch(UUID)
  })

  it('says how long to wait where waiting helps', async () => {
    const waits = await Promise.all(
      ['rateLimited', 'unavailable', 'validation'].map(async (kind) =>
        (await fetch(`${failing.url}/kind/${kind}`)).headers.get('retry-after'),
      ),
    )
    expect(waits).toEqual(['7', '5', null])
  })

  it.each([...Object.keys(UNFORESEEN), 'serializer'])('that is unexpected (%s) has a fixed sentence and lets nothing out', async (name) => {
    const response = await fetch(`${failing.url}/unforeseen/${name}`)
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 500, body: UNEXPECTED })
    expect(JSON.stringify([...response.headers])).not.toMatch(/secret|\.ts\b/)
    expect(response.headers.get('x-request-id')).toMatch(UUID)
  })
})

describe('a request that no operation takes', () => {
  const notFound = { statusCode: 404, name: 'not_found', message: 'The requested endpoint does not exist.' }
  const call = (method: string, path: string, token: string | null = service.token) => service.call(method, path, { token })

  it.each(['/nothing', '/emails/a/b/c', '/email/x', '/API-KEYS', '/docs/none', `/emails/${ID}/unknown`])(
    'is a 404 for the path %s',
    async (path) => {
      expect(await call('GET', path)).toMatchObject({ status: 404, body: notFound })
    },
  )

  it('is the same 404 without a key, and counts as no failed credential', async () => {
    for (let count = 0; count < 25; count += 1) expect(await call('GET', '/nothing', null)).toMatchObject({ status: 404, body: notFound })
  })

  it.each([
    ['DELETE', '/emails', 'GET, HEAD, POST'],
    ['PUT', '/emails', 'GET, HEAD, POST'],
    ['OPTIONS', '/emails', 'GET, HEAD, POST'],
    ['DELETE', `/emails/${ID}`, 'GET, HEAD, PATCH'],
    ['GET', `/emails/${ID}/cancel`, 'POST'],
    ['GET', '/email', 'POST'],
    ['POST', `/api-keys/${ID}`, 'DELETE, PATCH'],
    ['POST', '/logs', 'GET, HEAD'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['DELETE', '/emails/?x=1', 'GET, HEAD, POST'],
    ['DELETE', `/emails/${ID}/`, 'GET, HEAD, PATCH'],
  ])('is a 405 for %s %s, with what the path takes', async (method, path, allow) => {
    const answer = await call(method, path)
    expect(answer).toMatchObject({
      status: 405,
      body: { statusCode: 405, name: 'method_not_allowed', message: `This endpoint does not take ${method}; it takes ${allow}.` },
    })
    expect(answer.headers.get('allow')).toBe(allow)
  })

  it.each(['/emails', '/api-keys', '/logs'])('is none for a slash after %s: no record without an id was meant', async (path) => {
    const [without, withSlash] = [await call('GET', path), await call('GET', `${path}/?limit=1`)]
    expect(without.status).toBe(200)
    expect(withSlash).toMatchObject({ status: 200, body: { object: 'list' } })
  })

  it.each(['/emails/%zz', '/emails/%', '/emails/%e0%a4%a', '/%c0%af'])(
    'is a 422 for the path %s, which cannot be decoded',
    async (path) => {
      const answer = await call('GET', path)
      expect(answer).toMatchObject({
        status: 422,
        body: { statusCode: 422, name: 'validation_error', message: 'The path of the request is not a valid URL path.' },
      })
      expect(answer.headers.get('x-request-id')).toMatch(UUID)
    },
  )
})

describe('HEAD', () => {
  it('answers as GET does, without a body', async () => {
    const [head, get] = [await service.call('HEAD', '/api-keys'), await service.call('GET', '/api-keys')]
    expect({ status: head.status, text: head.text, type: head.headers.get('content-type') }).toEqual({
      status: 200,
      text: '',
      type: get.headers.get('content-type'),
    })
    expect((await service.call('HEAD', '/api-keys', { token: null, headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(401)
    expect((await service.call('HEAD', `/emails/${ID}`)).status).toBe(404)
  })
})

describe('a database that is away', () => {
  it('is a 503 with Retry-After, for known and unknown keys', async () => {
    for (const path of ['/emails', '/api-keys', '/logs', `/emails/${ID}`]) {
      const response = await fetch(`${away.url}${path}`, { headers: { authorization: `Bearer ${service.token}` } })
      expect({ status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() }).toEqual({
        status: 503,
        retryAfter: '5',
        body: {
          statusCode: 503,
          name: 'service_unavailable',
          message: 'The service cannot reach its database at the moment. Please try again in a few seconds.',
        },
      })
    }
  })

  it('does not keep the service from saying that it lives', async () => {
    expect((await fetch(`${away.url}/health/live`)).status).toBe(200)
    expect((await fetch(`${away.url}/emails`)).status).toBe(401)
  })

  it('is a 503 also when it goes in the middle of a query', async () => {
    const { database } = service
    const locker = await database.connect()
    await locker.query('begin')
    await locker.query('lock table api_keys in access exclusive mode')
    try {
      const answer = service.call('GET', '/api-keys', { token: 're_12345678_123456789012345678901234' })
      const pids = await until(async () => {
        const waiting = await database.execute<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        expect(waiting).not.toEqual([])
        return waiting.map(({ pid }) => pid)
      })
      await locker.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids])
      expect(await answer).toMatchObject({ status: 503, body: { statusCode: 503, name: 'service_unavailable' } })
    } finally {
      await locker.query('rollback')
      locker.release()
    }
  })
})

describe('the process log', () => {
  type Line = { level: number; msg: string; err?: unknown; reason?: string; cause?: string; leftOut?: number }
  const lines: Line[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
  let url: string
  let app: FastifyInstance
  let monotonicMs = 0

  async function listen(
    repositories = service.service.context.repositories,
    blobs: Partial<typeof service.service.context.gateways.blobs> = {},
  ): Promise<void> {
    const { context } = service.service
    const keyRecognition = createKeyRecognition({ ...context, repositories })
    const gateways = { ...context.gateways, blobs: { ...context.gateways.blobs, ...blobs } }
    app = await buildApp({
      ...context,
      repositories,
      gateways,
      keyRecognition,
      log,
      clock: { ...context.clock, monotonicMs: () => monotonicMs },
    })
    url = await app.listen({ host: '127.0.0.1', port: 0 })
    lines.length = 0
  }
  afterEach(() => app.close())

  it('has nothing above debug of a client that disconnects in the middle of its body, large or small', async () => {
    let recognized = 0
    const { repositories } = service.service.context
    const used = (id: string) => {
      recognized += 1
      repositories.apiKeys.used(id)
    }
    await listen({ ...repositories, apiKeys: { ...repositories.apiKeys, used } })
    for (const length of [1_000, 2_000_000]) {
      lines.length = 0
      const before = recognized
      const raw = await openRawSocket(url)
      raw.write(
        `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"half`,
      )
      await until(() => expect(recognized).toBeGreaterThan(before))
      await new Promise(setImmediate)
      raw.socket.resetAndDestroy()
      await until(() => expect(lines).toMatchObject([{ level: 20, msg: 'client gone before its request was complete' }]))
    }
  })

  it('says why the service could not do what was asked, which the client is not told', async () => {
    const refusal = new Failure('unavailable', 'No files can be stored.', { cause: new Error('ECONNREFUSED: the store is away') })
    await listen(undefined, { put: () => Promise.reject(refusal) })
    const attachments = [{ filename: 'a.txt', content: 'Zm9v' }]
    const answer = await fetch(`${url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@example.com', to: 'b@example.org', subject: 's', text: 't', attachments }),
    })
    expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ message: 'No files can be stored.' })])
    expect(lines).toMatchObject([{ level: 40, reason: 'No files can be stored.', cause: 'ECONNREFUSED: the store is away' }])
  })

  it('has a line a second at most of a database that is away: a warning, without a stack', async () => {
    await listen(
      createRepositories(away.database, {
        clock: service.service.context.clock,
        installation: service.config.installation,
        onLost: () => {},
        onUnreadable: () => {},
      }),
    )
    const ask = async () =>
      expect((await fetch(`${url}/emails`, { headers: { authorization: `Bearer ${service.token}` } })).status).toBe(503)
    for (let count = 0; count < 5; count += 1) await ask()
    expect(lines).toMatchObject([{ level: 40, msg: 'request refused for the moment', leftOut: 0 }])
    monotonicMs += 1_000
    await ask()
    expect(lines).toMatchObject([{ leftOut: 0 }, { level: 40, reason: expect.stringMatching(/^.+$/), leftOut: 4 }])
    for (const line of lines) expect(line).not.toHaveProperty('err')
  })

  it('has the stack of an unexpected error', async () => {
    await listen({
      ...service.service.context.repositories,
      apiKeys: {
        ...service.service.context.repositories.apiKeys,
        recognizeAcrossTeams: () => Promise.reject(new TypeError('x is not a function')),
      },
    })
    await fetch(`${url}/emails`, { headers: { authorization: `Bearer ${service.token}` } })
    expect(lines).toMatchObject([{ level: 50, msg: 'request failed', err: { stack: expect.stringContaining('errors.test.ts') } }])
  })
})

describe('broken HTTP', () => {
  const NOT_HTTP = { statusCode: 400, name: 'validation_error', message: 'This is not a valid HTTP request.' }
  const head = 'POST /emails HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

  it.each<[what: string, text: string, status: number, body: unknown]>([
    ['no HTTP at all', 'EHLO mail.example.com\r\n\r\n', 400, NOT_HTTP],
    ['another version', 'GET / HTTP/9.9\r\n\r\n', 400, NOT_HTTP],
    ['a target that is no path', 'GET emails HTTP/1.1\r\nHost: x\r\n\r\n', 400, NOT_HTTP],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n', 400, NOT_HTTP],
    ['a header with a NUL', 'GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n', 400, NOT_HTTP],
    ['two lengths', `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400, NOT_HTTP],
    ['a length that is no number', `${head}Content-Length: many\r\n\r\n`, 400, NOT_HTTP],
    [
      'headers of 20 kB',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      { statusCode: 431, name: 'validation_error', message: 'The request headers are too large.' },
    ],
  ])('is answered in the shape of every error, and ends the connection: %s', async (_what, text, status, body) => {
    const raw = await openRawSocket(service.url)
    raw.write(text)
    const answer = await raw.answer()
    expect(answer).toMatchObject({ status, body, headers: { 'content-type': 'application/json; charset=utf-8', connection: 'close' } })
    await raw.ended()
  })

  it('does not hinder the next client', async () => {
    const raw = await openRawSocket(service.url)
    raw.write(`${head}Content-Length: 100\r\n\r\n{"half`)
    raw.close()
    expect((await service.call('GET', '/emails')).status).toBe(200)
  })
})

describe('every response', () => {
  it('has a request id of its own', async () => {
    const answers = await Promise.all([
      service.call('GET', '/emails'),
      service.call('GET', '/emails', { token: null, headers: { 'x-forwarded-for': '192.0.2.2' } }),
      service.call('GET', '/nothing'),
      service.call('DELETE', '/emails'),
      service.call('POST', '/emails', { body: '{' }),
      service.call('GET', '/health/live', { token: null }),
      service.call('GET', '/openapi.json', { token: null }),
      service.call('GET', '/emails', { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } }),
    ])
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(UUID)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('leaves the connection open for the next request, after errors as well', async () => {
    const raw = await openRawSocket(service.url)
    const send = (line: string, { token = service.token, body = '' } = {}) => {
      raw.write(
        `${line} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.3\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      return raw.answer()
    }
    const statuses = [
      await send('GET /emails'),
      await send('GET /nothing'),
      await send('DELETE /emails'),
      await send(`GET /emails/${ID}`),
      await send('GET /emails/%zz'),
      await send('POST /emails', { body: '{"from":5}' }),
      await send('POST /emails', { token: 're_nobody', body: '{"from":"a"}' }),
      await send(`POST /emails/${ID}/cancel`, { token: service.sendingToken }),
      await send('GET /emails'),
    ].map(({ status }) => status)
    expect(statuses).toEqual([200, 404, 405, 404, 422, 422, 403, 401, 200])
    raw.close()
  })
})
