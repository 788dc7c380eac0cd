import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { Failure, type FailureKind } from '../../src/lib/failure.ts'
import { createKeyRecognition } from '../../src/modules/accounts/api-keys.service.ts'
import { createRepositories } from '../../src/repositories.ts'
import { openRawSocket } from '../support/clients/raw-requests.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { WAITS_FOR_LOCK } from '../support/servers/statements.ts'

const ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const UNEXPECTED = {
  statusCode: 500,
  name: 'application_error',
  message: 'Something went wrong on our side. Please try again; if it happens again, report the request id of this response.',
}

const KINDS: Record<FailureKind, [status: number, name: string]> = {
  validation: [422, 'validation_error'],
  malformedRequest: [400, 'validation_error'],
  invalidIdempotencyKey: [400, 'invalid_idempotency_key'],
  missingApiKey: [401, 'missing_api_key'],
  restrictedApiKey: [401, 'restricted_api_key'],
  invalidAccessToken: [401, 'invalid_access_token'],
  invalidApiKey: [403, 'invalid_api_key'],
  invalidPermission: [403, 'invalid_permission'],
  confirmationRequired: [403, 'confirmation_required'],
  invalidAccess: [403, 'invalid_access'],
  forbidden: [403, 'validation_error'],
  storageFull: [403, 'validation_error'],
  invalidLink: [403, 'invalid_link'],
  notFound: [404, 'not_found'],
  gone: [410, 'gone'],
  methodNotAllowed: [405, 'method_not_allowed'],
  requestTimeout: [408, 'validation_error'],
  idempotencyConflict: [409, 'invalid_idempotent_request'],
  inUse: [409, 'validation_error'],
  changedMeanwhile: [409, 'validation_error'],
  bodyTooLarge: [413, 'validation_error'],
  unsupportedMediaType: [415, 'validation_error'],
  rateLimited: [429, 'rate_limit_exceeded'],
  dailyQuotaExceeded: [429, 'daily_quota_exceeded'],
  monthlyQuotaExceeded: [429, 'monthly_quota_exceeded'],
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

/** An application with routes that fail on purpose. */
let failing: { url: string; close(): Promise<unknown> }
/** An application whose database is unreachable. */
let away: { url: string; database: Database; close(): Promise<unknown> }

const service = shared(() => startTestService({ environment: { TRUST_PROXY: '127.0.0.1' } }))
beforeAll(async () => {
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
      softBounces: context.config.softBounces,
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
afterAll(() => Promise.all([failing.close(), away.close()]))

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
          `select pid from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`,
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
    let arriving: IncomingMessage | undefined
    app.server.on('request', (request) => (arriving = request))
    for (const length of [1_000, 2_000_000]) {
      lines.length = 0
      const before = recognized
      const raw = await openRawSocket(url)
      raw.write(
        `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"half`,
      )
      await until(() => expect(recognized).toBeGreaterThan(before))
      // Its body is read from here on.
      await until(() => expect(arriving?.readableFlowing ?? null).not.toBeNull())
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
        softBounces: service.config.softBounces,
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
