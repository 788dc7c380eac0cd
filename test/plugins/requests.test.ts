import { describe, expect, it } from 'vitest'
import { openRawSocket } from '../support/clients/raw-requests.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const service = shared(() => startTestService({ environment: { TRUST_PROXY: '127.0.0.1' } }))

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
      body: { statusCode: 405, name: 'method_not_allowed', message: `This endpoint does not support ${method}. Use ${allow}.` },
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
    expect(answer.headers['x-request-id']).toMatch(UUID)
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

describe('a body in another charset', () => {
  const send = (charset: string) =>
    service.call('POST', '/contacts', { body: '{"email":"ada@example.com"}', headers: { 'content-type': `application/json${charset}` } })

  it.each(['; charset=iso-8859-1', ';charset="utf-16"', `; charset=${'x'.repeat(300)}`])('is a 415 that names it: %s', async (charset) => {
    expect(await send(charset)).toMatchObject({
      status: 415,
      body: {
        message: expect.stringMatching(
          /^The request body must be encoded in UTF-8\. Its `Content-Type` says (?:iso-8859-1|utf-16|x{40})\.$/,
        ),
      },
    })
  })

  it.each(['; charset=utf-8', '; charset="UTF-8"', ''])('is none if it is UTF-8: %j', async (charset) => {
    expect((await send(charset)).status).toBe(201)
  })
})

describe('a query parameter that is there twice', () => {
  it.each(['limit=1&limit=2', `after=${ID}&after=${ID}`])('is a 422 that names it: %s', async (query) => {
    const [name] = query.split('=')
    expect(await service.call('GET', `/segments?${query}`)).toMatchObject({
      status: 422,
      body: { name: 'validation_error', message: `The \`${name}\` parameter is given 2 times. Give it once.` },
    })
  })

  it('is taken where several values have a meaning', async () => {
    expect((await service.call('GET', '/emails/metrics?metrics=sent&metrics=delivered')).status).toBe(200)
  })
})
