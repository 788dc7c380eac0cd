// Cases of the conformance tables that no other test has (docs/oauth-conformance.md).
import { beforeAll, describe, expect, it } from 'vitest'
import {
  authorizeQuery,
  codeFor,
  openBrowser,
  pkce,
  post,
  REDIRECT_URI,
  registerClient,
  tokensFor,
} from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let native: string
const service = shared(() => startTestService())
beforeAll(async () => {
  native = (await registerClient(service)).client_id ?? ''
})

describe('an access token', () => {
  it('is taken from the header only, not from the query or a form (OAuth 2.1, section 5.1)', async () => {
    const { access_token: token } = await tokensFor(service, { scope: 'domains:read' })
    expect((await service.call('GET', `/domains?access_token=${token}`, { token: null })).status).toBe(401)
    const form = await fetch(`${service.url}/domains`, { method: 'POST', body: new URLSearchParams({ access_token: token }) })
    expect(form.status).toBe(401)
  })

  it('is no refresh token, and neither that nor a code is an access token', async () => {
    const { fields, code } = await codeFor(service, native, { scope: 'domains:read' })
    expect((await service.call('GET', '/domains', { token: code })).status).toBe(403)
    const { body } = await post(service, '/oauth/token', fields)
    expect((await service.call('GET', '/domains', { token: String(body.refresh_token) })).status).toBe(403)
    const refresh = { grant_type: 'refresh_token', client_id: native, refresh_token: body.access_token }
    expect(await post(service, '/oauth/token', refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

describe('the token endpoint', () => {
  it('answers no GET, and takes nothing from the query (RFC 6749, sections 2.3.1 and 3.2)', async () => {
    const { fields } = await codeFor(service, native)
    const query = new URLSearchParams(fields)
    expect((await fetch(`${service.url}/oauth/token?${query}`)).status).toBe(405)
    expect(await post(service, `/oauth/token?${query}`, {})).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect((await post(service, '/oauth/token', fields)).status).toBe(200)
  })

  it('wants the redirect address of the request (FAPI 1.0, section 5.2.2)', async () => {
    const { fields } = await codeFor(service, native)
    const { redirect_uri: _uri, ...rest } = fields
    expect(await post(service, '/oauth/token', rest)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('lets no answer be kept, errors included (RFC 6749, section 5.1)', async () => {
    for (const fields of [{}, { grant_type: 'refresh_token', client_id: native, refresh_token: 'x' }])
      expect((await post(service, '/oauth/token', fields)).headers.get('cache-control')).toBe('no-store')
  })

  it('gives a token for no other resource than that of the grant (RFC 8707)', async () => {
    const { refresh_token: token, clientId } = await tokensFor(service, { scope: 'domains:read' })
    const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, resource: 'https://other.example/' }
    expect(await post(service, '/oauth/token', refresh)).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
  })

  it.each(['password', 'client_credentials', 'implicit'])('knows no grant of the type %s (OAuth 2.1, section 10)', async (grant_type) => {
    expect(await post(service, '/oauth/token', { grant_type, client_id: native })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    })
  })
})

describe('a request for access', () => {
  const authorize = (more: Record<string, string | null>) =>
    openBrowser(service).go('GET', `/oauth/authorize?${authorizeQuery(native, pkce().challenge, more)}`)
  const errorOf = (location: string) => {
    const url = new URL(location)
    return (url.searchParams.get('error') ?? new URLSearchParams(url.hash.slice(1)).get('error')) as string
  }

  it.each(['token', 'id_token', 'code token', 'code id_token', 'none'])(
    'gets no %s right away (OAuth 2.1, section 10.1)',
    async (response_type) => {
      expect(errorOf((await authorize({ response_type })).location)).toBe('unsupported_response_type')
    },
  )

  it('is no request object, by value or by address (RFC 9101)', async () => {
    expect(errorOf((await authorize({ request: 'eyJhbGciOiJub25lIn0.e30.' })).location)).toBe('request_not_supported')
    expect(errorOf((await authorize({ request_uri: 'https://editor.example/request' })).location)).toBe('request_uri_not_supported')
  })

  it('without a type of answer is refused', async () => {
    expect(errorOf((await authorize({ response_type: null })).location)).toBe('invalid_request')
  })

  it('is answered with 303, and names no page to the program (RFC 9700, sections 4.2.4 and 4.12)', async () => {
    const browser = openBrowser(service)
    await browser.signIn(service)
    const asked = await browser.go('GET', `/oauth/authorize?${authorizeQuery(native, pkce().challenge)}`)
    const decided = await browser.go('POST', asked.location, { act: 'allow', team: service.teamId })
    const answered = await browser.go('GET', decided.location)
    expect([asked, decided, answered].map(({ status }) => status)).toEqual([303, 303, 303])
    expect(answered.location.startsWith(REDIRECT_URI)).toBe(true)
    expect(answered.headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('cannot be read by a script of another site (RFC 9700, section 2.1)', async () => {
    const response = await fetch(`${service.url}/oauth/authorize?${authorizeQuery(native, pkce().challenge)}`, {
      redirect: 'manual',
      headers: { origin: 'https://evil.example' },
    })
    expect(response.headers.get('access-control-allow-origin')).toBe(null)
  })
})
