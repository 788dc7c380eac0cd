import { afterEach, describe, expect, it } from 'vitest'
import { openRawSocket, type RawSocket } from '../support/clients/raw-requests.ts'
import { shared, startTestService } from '../support/servers/service.ts'

let raw: RawSocket | undefined

const service = shared(() => startTestService({ environment: { TRUST_PROXY: '127.0.0.1' } }))
afterEach(() => raw?.close())

const MISSING = {
  statusCode: 401,
  name: 'missing_api_key',
  message: 'Missing API key. Send the API key as `Authorization: Bearer re_...`.',
}
const missing = (problem: string) => ({ ...MISSING, message: `${problem} Send the API key as \`Authorization: Bearer re_...\`.` })
const NO_BEARER = missing('The `Authorization` header does not begin with `Bearer`.')
const NO_KEY = missing('Missing API key after `Bearer`.')
const SEVERAL = missing('The `Authorization` header has more than one word after `Bearer`.')
const INVALID = { statusCode: 403, name: 'invalid_api_key', message: 'This API key is not valid. It may have been deleted.' }
const RESTRICTED = {
  statusCode: 401,
  name: 'restricted_api_key',
  message: 'This API key may only send emails. Use a key with full access.',
}

let callers = 0
/** Every caller has its own address, so that their failures are not added up. */
const address = () => {
  callers += 1
  return `198.51.100.${callers}`
}

const withHeader = (authorization: string) =>
  service.call('GET', '/emails', { token: null, headers: { authorization, 'x-forwarded-for': address() } })

describe('the Authorization header', () => {
  it.each([
    ['Bearer', (token: string) => `Bearer ${token}`],
    ['bearer in small letters', (token: string) => `bearer ${token}`],
    ['BEARER in capitals', (token: string) => `BEARER ${token}`],
    ['two spaces', (token: string) => `Bearer  ${token}`],
  ])('takes a key after %s', async (_what, header) => expect((await withHeader(header(service.token))).status).toBe(200))

  it.each<[string, (token: string) => string, object]>([
    ['nothing', () => '', MISSING],
    ['the key alone', (token) => token, NO_BEARER],
    ['another scheme', (token) => `Basic ${Buffer.from(`${token}:`).toString('base64')}`, NO_BEARER],
    ['no key', () => 'Bearer', NO_KEY],
    ['no key but a space', () => 'Bearer ', NO_KEY],
    ['two keys', (token) => `Bearer ${token} ${token}`, SEVERAL],
    ['something before the scheme', (token) => `X Bearer ${token}`, NO_BEARER],
    ['a key without its last letter', (token) => `Bearer ${token.slice(0, -1)}`, INVALID],
    ['a key with a letter more', (token) => `Bearer ${token}x`, INVALID],
    ['a key in capitals', (token) => `Bearer ${token.toUpperCase()}`, INVALID],
    ['a key of another service', () => 'Bearer sk_live_123456789012345678901234', INVALID],
    ['a key of eight thousand characters', () => `Bearer re_${'a'.repeat(8_000)}`, INVALID],
    ['the digest of a key', () => `Bearer ${'0'.repeat(64)}`, INVALID],
    ['letters of another script', () => `Bearer re_${'\u00fc'.repeat(30)}`, INVALID],
  ])('is refused with %s', async (_what, header, body) => {
    const answer = await withHeader(header(service.token))
    expect(answer).toMatchObject({ status: 'statusCode' in body ? body.statusCode : 0, body })
    expect(answer.text).not.toContain(service.token.slice(0, 10))
  })

  it('is the only place for a key', async () => {
    const answer = await service.call('GET', `/emails?api_key=${service.token}&token=${service.token}`, {
      token: null,
      headers: { 'x-api-key': service.token, cookie: `token=${service.token}`, 'x-forwarded-for': address() },
    })
    expect(answer).toMatchObject({ status: 401, body: MISSING })
  })
})

describe('before a byte of the body is read', () => {
  const begin = async (path: string, authorization: string, length = 1_000_000) => {
    raw?.close()
    raw = await openRawSocket(service.url)
    raw.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address()}\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    )
    return raw.answer()
  }

  it('answers 401 without a key', async () => expect(await begin('/emails', '')).toMatchObject({ status: 401, body: MISSING }))

  it('answers 403 to an unknown key', async () =>
    expect(await begin('/emails', 'Authorization: Bearer re_12345678_123456789012345678901234\r\n')).toMatchObject({
      status: 403,
      body: INVALID,
    }))

  it('answers 401 to a key that may only send', async () =>
    expect(await begin('/api-keys', `Authorization: Bearer ${service.sendingToken}\r\n`)).toMatchObject({ status: 401, body: RESTRICTED }))

  it('answers 404 for an unknown path and 405 for a wrong method, with a key and without', async () => {
    for (const authorization of [`Authorization: Bearer ${service.token}\r\n`, '']) {
      for (const length of [10, 50_000_000]) {
        expect(await begin('/nothing', authorization, length)).toMatchObject({ status: 404, body: { name: 'not_found' } })
        expect(await begin('/logs', authorization, length)).toMatchObject({ status: 405, body: { name: 'method_not_allowed' } })
      }
    }
  })

  it('answers 400 to an idempotency key that is too long', async () =>
    expect(await begin('/emails', `Authorization: Bearer ${service.token}\r\nIdempotency-Key: ${'x'.repeat(257)}\r\n`)).toMatchObject({
      status: 400,
      body: { statusCode: 400, name: 'invalid_idempotency_key' },
    }))
})

describe('routes for everyone', () => {
  it.each(['/health/live', '/openapi.json', '/docs/', '/share/x', '/downloads/x'])('ask for no key, and mind none: %s', async (path) => {
    const [without, wrong] = [await service.call('GET', path, { token: null }), await service.call('GET', path, { token: 're_nobody' })]
    expect(without.status).toBe(wrong.status)
    expect([200, 403]).toContain(without.status)
  })
})
