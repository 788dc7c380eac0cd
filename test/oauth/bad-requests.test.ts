// What programs must not get, however they ask.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visit } from '../support/clients/console-visitor.ts'
import {
  askForAccess,
  authorizeQuery,
  BUILT_IN_CLIENT,
  codeFor,
  openBrowser,
  pkce,
  post,
  REDIRECT_URI,
  registerClient,
  tokensFor,
} from '../support/clients/oauth-client.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

let service: TestService
let web: string
let native: string
const WEB_URI = 'https://editor.example/cb'

beforeAll(async () => {
  service = await startTestService()
  web = (await registerClient(service, { redirect_uris: [WEB_URI], scope: 'emails:send domains:read' })).client_id ?? ''
  native = (await registerClient(service, { redirect_uris: [REDIRECT_URI, 'com.example.editor:/cb'] })).client_id ?? ''
})
afterAll(() => service.close())

const authorize = (clientId: string, more: Record<string, string | null>) =>
  openBrowser(service).go('GET', `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, more)}`)

describe('an address that nearly matches', () => {
  it.each([
    'https://editor.example/cb/',
    'https://editor.example/CB',
    'https://EDITOR.example/cb',
    'https://editor.example:443/cb',
    'https://editor.example:8443/cb',
    'https://editor.example/cb?more=1',
    'https://editor.example/a/../cb',
    'https://user@editor.example/cb',
    'https://editor.example@evil.example/cb',
    'https://editor.example.evil.example/cb',
    'https://xn--ditor-qof.example/cb',
    'https://\u0435ditor.example/cb',
    'http://editor.example/cb',
    'https://editor.example/cb#x',
    'javascript:alert(1)',
  ])('is not answered: %s', async (redirect_uri) => {
    const answer = await authorize(web, { redirect_uri })
    expect({ status: answer.status, location: answer.location }).toEqual({ status: 400, location: '' })
    expect(JSON.parse(answer.text)).toMatchObject({ error: expect.stringMatching(/^invalid_(request|redirect_uri)$/) })
  })

  it.each([
    ['http://127.0.0.1:50000/callback', 303],
    ['http://127.0.0.1/callback', 303],
    ['com.example.editor:/cb', 303],
    ['http://127.0.0.1:50000/other', 400],
    ['http://localhost:50000/callback', 400],
    ['http://127.0.0.2:50000/callback', 400],
    ['http://127.0.0.1.evil.example:50000/callback', 400],
    ['http://127.0.0.1:50000@evil.example/callback', 400],
    ['https://127.0.0.1/callback', 400],
    ['com.example.editor:/other', 400],
    ['com.example.editor2:/cb', 400],
  ])('on the own machine may differ in its port only: %s', async (redirect_uri, status) => {
    expect((await authorize(native, { redirect_uri })).status).toBe(status)
  })
})

describe('a request for access', () => {
  it.each<[string, Record<string, string | null>, string]>([
    ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with PKCE of no method', { code_challenge_method: null }, 'invalid_request'],
    ['with a challenge that is too short', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['for a token right away', { response_type: 'token' }, 'unsupported_response_type'],
    ['for a scope that does not exist', { scope: 'emails:send world:write' }, 'invalid_scope'],
    ['for the resource of another', { resource: 'https://other.example/' }, 'invalid_target'],
    ['with a state of 1,025 characters', { state: 's'.repeat(1_025) }, 'invalid_request'],
    ['that must not ask', { prompt: 'none' }, 'login_required'],
    ['with a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ])('is refused %s, and a program on the device is told', async (_what, more, error) => {
    const answer = await authorize(native, more)
    expect(answer.status).toBe(303)
    const location = new URL(answer.location)
    expect(`${location.origin}${location.pathname}`).toBe(REDIRECT_URI)
    const answered = error === 'unsupported_response_type' ? new URLSearchParams(location.hash.slice(1)) : location.searchParams
    expect(Object.fromEntries(answered)).toMatchObject({ error, iss: 'http://localhost:3000' })
  })

  it('for more than a client may ask for is refused', async () => {
    const answer = await authorize(web, { redirect_uri: WEB_URI, scope: 'domains:write' })
    expect(answer).toMatchObject({ status: 400, location: '' })
    expect(JSON.parse(answer.text)).toEqual({ error: 'invalid_scope', error_description: 'requested scope is not allowed' })
  })

  it('that is wrong on purpose leads no one from here to a site that anyone may have registered', async () => {
    const wrong: Record<string, string | null>[] = [
      { scope: 'world' },
      { response_type: 'x' },
      { response_type: 'token' },
      { prompt: 'none' },
      { response_mode: 'form_post', scope: 'x' },
    ]
    for (const more of wrong) {
      const answer = await authorize(web, { redirect_uri: WEB_URI, ...more })
      expect(answer).toMatchObject({ status: 400, location: '' })
      expect(answer.text).not.toContain('editor.example')
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  it.each([
    'response_mode=form_post',
    'response%5Fmode=form_post',
    'r%65sponse_mode=fragment',
    'response_mode=query&response_mode=form_post',
  ])('for an answer elsewhere than in the query is refused, however it is written: %s', async (parameter) => {
    const query = authorizeQuery(native, pkce().challenge, { scope: 'world' })
    const answer = await openBrowser(service).go('GET', `/oauth/authorize?${query}&${parameter}`)
    expect({ status: answer.status, location: answer.location, body: JSON.parse(answer.text) }).toEqual({
      status: 400,
      location: '',
      body: { error: 'invalid_request', error_description: 'response_mode must be query' },
    })
  })

  it('may say that the answer is in the query, where it is anyway', async () => {
    const answer = await authorize(native, { scope: 'world', response_mode: 'query' })
    expect(new URL(answer.location).searchParams.get('error')).toBe('invalid_scope')
  })

  it('of an unknown client, or with a parameter twice, is refused here', async () => {
    expect(await authorize('0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10', {})).toMatchObject({ status: 400, location: '' })
    const twice = await openBrowser(service).go('GET', `/oauth/authorize?${authorizeQuery(web, pkce().challenge)}&client_id=${native}`)
    expect(twice).toMatchObject({ status: 400, location: '' })
  })
})

describe('a code', () => {
  const redeem = (fields: object) => post(service, '/oauth/token', fields)
  const refused = { status: 400, body: { error: 'invalid_grant' } }

  it('that is used twice ends the grant', async () => {
    const { fields } = await codeFor(service, native)
    const { body } = await redeem(fields)
    expect(await redeem(fields)).toMatchObject(refused)
    expect((await service.call('GET', '/domains', { token: String(body.access_token) })).status).toBe(401)
    const refresh = { grant_type: 'refresh_token', client_id: native, refresh_token: body.refresh_token }
    expect(await redeem(refresh)).toMatchObject(refused)
    const [row] = await service.database.execute('select revoked_reason from oauth_grants order by id desc limit 1')
    expect(row).toEqual({ revoked_reason: 'code_reused' })
  })

  it('that is used twice at once gives tokens at most once, and they do not last', async () => {
    const { fields } = await codeFor(service, native)
    const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(fields)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const [row] = await service.database.execute('select revoked_reason from oauth_grants order by id desc limit 1')
    expect(row).toEqual({ revoked_reason: 'code_reused' })
  })

  it('is of no use to another client, with another verifier or address, or when it has expired', async () => {
    const { fields } = await codeFor(service, native)
    expect(await redeem({ ...fields, client_id: BUILT_IN_CLIENT })).toMatchObject(refused)
    expect(await redeem({ ...fields, code_verifier: pkce().verifier })).toMatchObject(refused)
    expect(await redeem({ ...fields, redirect_uri: 'http://127.0.0.1:1/callback' })).toMatchObject(refused)
    await service.database.execute('update oauth_records set expires_at = now()')
    expect(await redeem(fields)).toMatchObject(refused)
  })

  it.each([
    ['of 42 characters', 'a'.repeat(42), 'invalid_request'],
    ['of 129 characters', 'a'.repeat(129), 'invalid_request'],
    ['with a space', `${'a'.repeat(43)} `, 'invalid_request'],
    ['that is missing', undefined, 'invalid_grant'],
  ])('is not redeemed with a verifier %s', async (_what, verifier, error) => {
    const { fields } = await codeFor(service, native)
    const { code_verifier: _verifier, ...rest } = fields
    expect(await redeem({ ...rest, ...(verifier !== undefined && { code_verifier: verifier }) })).toMatchObject({
      status: 400,
      body: { error },
    })
  })
})

describe('the token endpoint', () => {
  it.each<[string, string, Record<string, string>, number, string]>([
    ['nothing', '', {}, 400, 'invalid_request'],
    ['broken JSON', '{"grant_type":', { 'content-type': 'application/json' }, 400, 'invalid_request'],
    ['JSON that is no object', '["x"]', { 'content-type': 'application/json' }, 400, 'invalid_request'],
    ['numbers in JSON', '{"client_id": 1}', { 'content-type': 'application/json' }, 400, 'invalid_request'],
    ['another type', '<a/>', { 'content-type': 'application/xml' }, 400, 'invalid_request'],
    ['a grant that does not exist', `grant_type=password&client_id=${BUILT_IN_CLIENT}`, {}, 400, 'unsupported_grant_type'],
    ['an unknown client', 'grant_type=refresh_token&refresh_token=x&client_id=x', {}, 401, 'invalid_client'],
    ['a broken Basic header', 'grant_type=refresh_token', { authorization: 'Basic %%%' }, 400, 'invalid_request'],
  ])('answers %s with an error of the protocol', async (_what, body, headers, status, error) => {
    const response = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
    expect({ status: response.status, body: await response.json() }).toMatchObject({ status, body: { error } })
  })

  it('takes no more than 32 KB', async () => {
    expect(await post(service, '/oauth/token', { grant_type: 'x'.repeat(40_000) })).toMatchObject({ status: 413 })
  })
})

describe('a registration', () => {
  const register = (fields: object | string) =>
    post(service, '/oauth/register', fields === '[]' ? [] : { client_name: 'Editor', redirect_uris: [WEB_URI], ...Object(fields) }, {
      as: 'json',
    })

  it('answers what was registered, with a secret that is shown once', async () => {
    const { status, body } = await register({ unknown: 1, contacts: ['a@example.com'], logo_uri: 'https://editor.example/logo.png' })
    expect({ status, body }).toEqual({
      status: 201,
      body: expect.objectContaining({
        client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        client_id_issued_at: expect.any(Number),
        client_secret: expect.stringMatching(/^[\w-]{43}$/),
        client_secret_expires_at: 0,
        client_name: 'Editor',
        redirect_uris: [WEB_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        logo_uri: 'https://editor.example/logo.png',
      }),
    })
    expect(body).not.toHaveProperty('contacts')
    expect(body).not.toHaveProperty('unknown')
  })

  it.each<[string, object | string, string]>([
    ['no name', { client_name: undefined }, 'invalid_client_metadata'],
    ['a name of 201 characters', { client_name: 'x'.repeat(201) }, 'invalid_client_metadata'],
    ['a name that turns the text around it', { client_name: 'Editor \u202egnp.exe' }, 'invalid_client_metadata'],
    ['a name of two lines', { client_name: 'Editor\nby us' }, 'invalid_client_metadata'],
    ['a name that cannot be seen', { client_name: '\u200b' }, 'invalid_client_metadata'],
    ['the name of this service', { client_name: 'P\u043est-Haste'.replace('\u043e', 'o') }, 'invalid_client_metadata'],
    ['no address', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['eleven addresses', { redirect_uris: Array.from({ length: 11 }, (_, i) => `${WEB_URI}${i}`) }, 'invalid_redirect_uri'],
    ['an address of 2,049 characters', { redirect_uris: [`https://e.example/${'x'.repeat(2_031)}`] }, 'invalid_redirect_uri'],
    ['http elsewhere', { redirect_uris: ['http://editor.example/cb'] }, 'invalid_redirect_uri'],
    ['javascript:', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['data:', { redirect_uris: ['data:text/html,x'] }, 'invalid_redirect_uri'],
    ['file:', { redirect_uris: ['file:///etc/passwd'] }, 'invalid_redirect_uri'],
    ['vbscript:', { redirect_uris: ['VBScript:x'] }, 'invalid_redirect_uri'],
    ...['web+mail:x', 'ms-settings:x', 'search-ms:x', 'search:x', 'magnet:x', 'ssh://e.example'].map((uri): [string, object, string] => [
      uri,
      { redirect_uris: [uri] },
      'invalid_redirect_uri',
    ]),
    ['a fragment', { redirect_uris: [`${WEB_URI}#x`] }, 'invalid_redirect_uri'],
    ['a user', { redirect_uris: ['https://user:pass@editor.example/cb'] }, 'invalid_redirect_uri'],
    ['letters of another script', { redirect_uris: ['https://\u0435ditor.example/cb'] }, 'invalid_redirect_uri'],
    ['a tab', { redirect_uris: ['java\tscript:alert(1)'] }, 'invalid_redirect_uri'],
    ['no code', { grant_types: ['refresh_token'] }, 'invalid_client_metadata'],
    ['the implicit flow', { grant_types: ['authorization_code', 'implicit'] }, 'invalid_client_metadata'],
    ['tokens right away', { response_types: ['token'] }, 'invalid_client_metadata'],
    ['a method that is not known', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    ['a scope that does not exist', { scope: 'world' }, 'invalid_client_metadata'],
    ['a logo that is a script', { logo_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
    ['a list', '[]', 'invalid_client_metadata'],
  ])('is refused with %s', async (_what, fields, error) => {
    expect(await register(fields)).toMatchObject({ status: 400, body: { error, error_description: expect.stringMatching(/\.$/) } })
  })

  it('happens at most 20 times an hour from an address', async () => {
    const limited = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '100', TRUST_PROXY: '127.0.0.1' } })
    try {
      const from = (address: string) =>
        post(
          limited,
          '/oauth/register',
          { client_name: 'Editor', redirect_uris: [WEB_URI] },
          { as: 'json', headers: { 'x-forwarded-for': address } },
        )
      for (let count = 0; count < 20; count += 1) expect((await from('198.51.100.1')).status).toBe(201)
      const refused = await from('198.51.100.1')
      expect(refused).toMatchObject({
        status: 429,
        body: {
          error: 'too_many_requests',
          error_description: 'More than 20 clients an hour were registered from your address. Please wait and try again.',
        },
      })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
      expect((await from('198.51.100.2')).status).toBe(201)
    } finally {
      await limited.close()
    }
  })
})

describe('a decision', () => {
  const begin = async (browser = openBrowser(service)) => {
    await browser.signIn(service)
    const { location } = await browser.go('GET', `/oauth/authorize?${authorizeQuery(native, pkce().challenge)}`)
    return { browser, location }
  }
  const count = async () => (await service.database.execute('select id from oauth_grants')).length

  it('is not taken from another site, another browser, without a session, or for another team', async () => {
    const before = await count()
    const { browser, location } = await begin()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const form = { act: 'allow', team: service.teamId }
    expect((await visit(service, 'POST', location, { cookie, origin: 'https://evil.example', form })).status).toBe(403)
    expect((await visit(service, 'POST', location, { cookie, origin: null, form })).status).toBe(403)
    const stranger = openBrowser(service)
    await stranger.signIn(service)
    expect((await stranger.go('POST', location, form)).status).toBe(410)
    expect((await browser.go('POST', location, { act: 'allow', team: service.other.teamId })).location).toBe(`${location}?again=1`)
    browser.cookies.delete('posthaste-console')
    expect((await browser.go('POST', location, form)).location).toBe(`${location}?again=1`)
    expect(await count()).toBe(before)
  })

  it('is taken only in the browser that began, also if all other cookies were planted in another', async () => {
    const before = await count()
    const { browser: attacker, location } = await begin()
    const victim = openBrowser(service)
    for (const [name, value] of attacker.cookies) if (name !== 'posthaste-browser') victim.cookies.set(name, value)
    await victim.signIn(service)
    expect((await victim.go('GET', location)).status).toBe(410)
    expect((await victim.go('POST', location, { act: 'allow', team: service.teamId })).status).toBe(410)
    expect(await count()).toBe(before)

    const { location: resume } = await attacker.go('POST', location, { act: 'allow', team: service.teamId })
    for (const [name, value] of attacker.cookies) if (name !== 'posthaste-browser') victim.cookies.set(name, value)
    expect(await victim.go('GET', resume)).toMatchObject({ status: 400, location: '' })
    expect(new URL((await attacker.go('GET', resume)).location).searchParams.get('code')).toMatch(/./)
  })

  it('is bound over TLS by a cookie that no other host can plant', async () => {
    const secure = await startTestService({ environment: { PUBLIC_URL: 'https://mail.example' } })
    try {
      const { headers } = await openBrowser(secure).go('GET', `/oauth/authorize?${authorizeQuery(BUILT_IN_CLIENT, pkce().challenge)}`)
      const [line] = headers.getSetCookie().filter((each) => each.includes('posthaste-browser'))
      expect(line).toMatch(/^__Host-posthaste-browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    } finally {
      await secure.close()
    }
  })

  it('is taken once, also when it comes twice at once', async () => {
    const before = await count()
    const { browser, location } = await begin()
    const answers = await Promise.all([1, 2, 3].map(() => browser.go('POST', location, { act: 'allow', team: service.teamId })))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410])
    expect(await count()).toBe(before + 1)
    expect((await browser.go('GET', location)).status).toBe(410)
  })

  it('about one program does not touch another that waits', async () => {
    const { browser, location: first } = await begin()
    const { location: second } = await begin(browser)
    expect(second).not.toBe(first)
    // A browser sends the cookie of each page with that page only.
    expect((await browser.go('POST', first, { act: 'allow', team: service.teamId })).status).toBe(410)
    expect((await browser.go('POST', second, { act: 'refuse' })).status).toBe(303)
  })
})

describe('an access token', () => {
  const statusOf = async (token: string) => {
    const { status, body } = await service.call('GET', '/domains', { token })
    return `${status} ${(body as { name?: string }).name}`
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('is refused when it was changed, signed by no one, or by someone else', async () => {
    const { access_token: token } = await tokensFor(service, { scope: 'domains:read' })
    const [head = '', claims = '', signature = ''] = token.split('.')
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as object
    const payload = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object
    const changed = [
      `${part({ ...header, alg: 'none' })}.${claims}.`,
      `${part({ ...header, alg: 'none' })}.${claims}.${signature}`,
      `${part({ ...header, alg: 'HS256' })}.${claims}.${signature}`,
      `${part({ ...header, typ: 'JWT' })}.${claims}.${signature}`,
      `${part({ ...header, kid: '../../dev/null' })}.${claims}.${signature}`,
      `${part({ ...header, kid: "' or 1=1 --" })}.${claims}.${signature}`,
      `${part({ ...header, jku: 'https://evil.example/jwks' })}.${claims}.${signature}`,
      `${head}.${part({ ...payload, scope: 'full_access' })}.${signature}`,
      `${head}.${claims}.${signature.slice(0, -4)}AAAA`,
      `${head}.${claims}`,
      `${token}.x`,
      `eyJ${'a'.repeat(8_000)}.a.a`,
    ]
    for (const forged of changed) expect(await statusOf(forged)).toBe('401 invalid_access_token')
    expect(await statusOf(token)).toBe('200 undefined')
  })

  it('of a megabyte is refused before it is read', async () => {
    const answer = await fetch(`${service.url}/domains`, { headers: { authorization: `Bearer eyJ${'a'.repeat(1_000_000)}.a.a` } }).then(
      ({ status }) => status,
      () => 'closed',
    )
    expect([431, 'closed']).toContain(answer)
  })

  it('does not sign in to the console', async () => {
    const { access_token: token } = await tokensFor(service)
    expect((await visit(service, 'POST', '/console/sign-in', { form: { api_key: token.slice(0, 256) } })).status).toBe(403)
  })

  it('of another team reads nothing of this one', async () => {
    const { challenge, verifier } = pkce()
    const answer = await askForAccess(service, authorizeQuery(native, challenge), {
      token: service.other.token,
      teamId: service.other.teamId,
    })
    const fields = {
      grant_type: 'authorization_code',
      client_id: native,
      code: answer.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
    }
    const { body } = await post(service, '/oauth/token', { ...fields, code_verifier: verifier })
    const { body: listed } = await service.call('GET', '/oauth/grants', { token: String(body.access_token) })
    expect(listed).toMatchObject({ data: [{ client_id: native }] })
    expect((listed as { data: unknown[] }).data.length).toBe(1)
  })
})
