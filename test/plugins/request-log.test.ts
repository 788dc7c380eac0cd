import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { PART_LENGTH } from '../../src/mail/mime-fields.ts'
import type { RequestLogEntry } from '../../src/modules/logs/logs.repository.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'

type LoggedEntry = Omit<RequestLogEntry, 'requestBody' | 'responseBody'> & { requestBody: unknown; responseBody: unknown }

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

let app: FastifyInstance
let url: string

const service = shared(() => startTestService())
afterEach(() => app.close())

/** The application with a request log of the test's own. */
async function listen(append: (entry: RequestLogEntry, bytes: number) => void): Promise<void> {
  const { context } = service.service
  const repositories = { ...context.repositories, requestLogs: { ...context.repositories.requestLogs, append } }
  app = await buildApp({ ...context, repositories })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

async function call(method: string, path: string, { token = service.token, body }: { token?: string; body?: string } = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'test', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  })
  await response.text()
  return response.status
}

describe('a request log that fails', () => {
  it('fails no request', async () => {
    let tries = 0
    await listen(() => {
      tries += 1
      throw new Error('the log is broken')
    })
    expect(await call('GET', '/emails')).toBe(200)
    expect(await call('POST', '/emails', { body: '{}' })).toBe(422)
    expect(await call('GET', '/emails')).toBe(200)
    await until(() => expect(tries).toBe(3))
  })
})

describe('the request log', () => {
  async function logged(method: string, path: string, options: { token?: string; body?: string } = {}): Promise<LoggedEntry> {
    const entries: RequestLogEntry[] = []
    await listen((entry) => entries.push(entry))
    await call(method, path, options)
    await until(() => expect(entries).toHaveLength(1))
    const entry = entries[0] as RequestLogEntry
    return { ...entry, requestBody: parsed(entry.requestBody), responseBody: parsed(entry.responseBody) }
  }

  it('has of a request what its team may see again', async () => {
    expect(await logged('POST', '/api-keys?secret=in-the-query', { body: '{"name":"Logged","color":"red"}' })).toEqual({
      id: expect.any(String),
      teamId: service.teamId,
      apiKeyId: expect.any(String),
      personId: null,
      method: 'POST',
      endpoint: '/api-keys',
      responseStatus: 201,
      userAgent: 'test',
      requestBody: { name: 'Logged', color: '[not kept]' },
      responseBody: { object: 'api_key', id: expect.any(String), token: '[redacted]' },
      requestBodyTruncated: false,
      responseBodyTruncated: false,
      createdAt: expect.any(Date),
    })
  })

  it('has what a long text says, although it is written in parts', async () => {
    const html = `<p>Hello</p>${'x'.repeat(PART_LENGTH)}`
    const { body: created } = await service.call('POST', '/templates', { body: { name: 'Long', html } })
    const { id } = created as { id: string }
    expect(String((await logged('GET', `/templates/${id}`)).responseBody)).toContain('"html":"<p>Hello</p>xxx')
    const { body } = await service.call('GET', `/templates/${id}`)
    expect((body as { html: string }).html === html).toBe(true)
  })

  it.each<[what: string, method: string, path: string, body: string | undefined, expected: Partial<LoggedEntry>]>([
    ['a request without a body', 'GET', '/api-keys', undefined, { responseStatus: 200, requestBody: null }],
    [
      'a body that is not JSON',
      'POST',
      '/emails',
      '{"subject":"secret',
      {
        responseStatus: 400,
        requestBody: null,
        responseBody: { statusCode: 400, name: 'validation_error', message: 'The request body is not valid JSON at line 1, column 19.' },
      },
    ],
    [
      'an unknown path',
      'POST',
      '/nothing',
      '{"a":1}',
      { endpoint: '/nothing', responseStatus: 404, requestBody: null, responseBody: null },
    ],
    ['a wrong method', 'PUT', '/emails', '{"a":1}', { endpoint: '/emails', responseStatus: 405, requestBody: null, responseBody: null }],
    [
      'values of wrong types',
      'POST',
      '/emails',
      '{"from":{"token":"x"},"to":["a",5],"secret":"x"}',
      { responseStatus: 422, requestBody: { from: { token: '[not kept]' }, to: ['a', 5], secret: '[not kept]' } },
    ],
    ['a body that is no object', 'POST', '/emails', '["secret"]', { responseStatus: 422, requestBody: '[not kept]' }],
    [
      'what cannot be stored',
      'POST',
      '/emails',
      '{"subject":"a\\u0000","k\\u0000":1}',
      { responseStatus: 422, requestBody: { subject: 'a\ufffd', 'k\ufffd': '[not kept]' } },
    ],
  ])('keeps nothing that it should not: %s', async (_what, method, path, body, expected) => {
    expect(await logged(method, path, body === undefined ? {} : { body })).toMatchObject(expected)
  })

  it('cuts a body after 64 KiB, to text that is whole', async () => {
    const entry = await logged('POST', '/emails', { body: JSON.stringify({ subject: 'x', html: `${'é😀'.repeat(40_000)}` }) })
    expect(entry).toMatchObject({ requestBodyTruncated: true, responseBodyTruncated: false })
    const text = String(entry.requestBody)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024)
    expect(Buffer.byteLength(text)).toBeGreaterThan(64 * 1024 - 8)
    expect(text).toMatch(/^\{"subject":"x","html":"(é😀)+é?$/u)
  })

  it('redacts before it cuts', async () => {
    const content = Buffer.from('secret'.repeat(100_000)).toString('base64')
    const { requestBody, requestBodyTruncated } = await logged('POST', '/emails', {
      body: JSON.stringify({ attachments: [{ filename: 'a', content }] }),
    })
    expect({ requestBody, requestBodyTruncated }).toEqual({
      requestBody: { attachments: [{ filename: 'a', content: '[redacted]' }] },
      requestBodyTruncated: false,
    })
  })

  it('has nothing of requests without a team, of the log itself and of routes for everyone', async () => {
    const entries: RequestLogEntry[] = []
    await listen((entry) => entries.push(entry))
    for (const [path, token] of [
      ['/emails', 're_nobody'],
      ['/logs', service.token],
      ['/health/live', service.token],
      ['/openapi.json', service.token],
      ['/share/x', service.token],
      ['/nothing', 're_nobody'],
    ] as const)
      await call('GET', path, { token })
    await call('GET', '/emails?last')
    await until(() => expect(entries.map(({ endpoint }) => endpoint)).toEqual(['/emails']))
    expect(entries[0]?.responseStatus).toBe(200)
  })

  it('counts an entry’s bytes, so that what waits is bounded', async () => {
    const sizes: number[] = []
    await listen((_entry, bytes) => sizes.push(bytes))
    await call('GET', '/emails')
    await call('POST', '/emails', { body: JSON.stringify({ html: 'x'.repeat(10_000) }) })
    await until(() => expect(sizes).toHaveLength(2))
    const [small = 0, large = 0] = sizes
    expect(small).toBeGreaterThan(500)
    expect(large - small).toBeGreaterThan(9_900)
  })
})
