// How a program gets access and keeps it.
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { emailInput } from '../../support/builders/emails.ts'
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
} from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(() => service.database.execute('delete from oauth_grants'))

const PUBLIC_URL = 'http://localhost:3000'
type Grant = { id: string; revoked_at: string | null; revoked_reason: string | null }
const grants = async () => ((await service.call('GET', '/oauth/grants')).body as { data: Grant[] }).data
const statusWith = async (token: string) => (await service.call('GET', '/domains', { token })).status
const TOKENS = {
  access_token: expect.stringMatching(/^eyJ/),
  expires_in: 900,
  refresh_token: expect.stringMatching(/^[\w-]{43}$/),
  token_type: 'Bearer',
}

describe('a program', () => {
  it('gets tokens for the team whose person allows it, and calls operations with them', async () => {
    const client = await registerClient(service)
    const { answer, fields } = await codeFor(service, client.client_id ?? '', { scope: 'emails:send domains:read' })
    expect(Object.fromEntries(answer.searchParams)).toEqual({ code: fields.code, state: 'state', iss: PUBLIC_URL })
    const { status, body, headers } = await post(service, '/oauth/token', fields)
    expect({ status, body, cache: headers.get('cache-control') }).toEqual({
      status: 200,
      body: { ...TOKENS, scope: 'emails:send domains:read' },
      cache: 'no-store',
    })
    const token = String(body.access_token)
    expect(await statusWith(token)).toBe(200)
    expect(await service.call('GET', '/contacts', { token })).toMatchObject({
      status: 403,
      body: {
        statusCode: 403,
        name: 'invalid_permission',
        message: 'This access token lacks the scope `contacts:read`. Ask for access with that scope.',
      },
    })
    const { body: listed } = await service.call('GET', '/oauth/grants')
    expect(listed).toMatchObject({
      data: [
        {
          client_id: client.client_id,
          scopes: ['emails:send', 'domains:read'],
          resource: null,
          client: { name: 'Editor', logo_uri: null },
        },
      ],
    })
  })

  it('gets a signed token that says for whom, for what and until when', async () => {
    const { access_token: token, clientId } = await tokensFor(service, { scope: 'emails:send', resource: `${PUBLIC_URL}/` })
    const [grant] = await grants()
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) })
    const claims = decodeJwt(token)
    expect(claims).toEqual({
      iss: PUBLIC_URL,
      aud: PUBLIC_URL,
      sub: service.teamId,
      client_id: clientId,
      grant_id: grant?.id,
      scope: 'emails:send',
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 900,
    })
    expect(grant).toMatchObject({ resource: `${PUBLIC_URL}/` })
  })

  it('redeems a code and a refresh token by JSON as well', async () => {
    const { fields } = await codeFor(service, BUILT_IN_CLIENT, { redirect_uri: 'http://127.0.0.1:49152/oauth/callback' })
    const { status, body } = await post(service, '/oauth/token', fields, { as: 'json' })
    expect({ status, body }).toEqual({ status: 200, body: { ...TOKENS, scope: 'full_access' } })
    const refresh = { grant_type: 'refresh_token', client_id: BUILT_IN_CLIENT, refresh_token: body.refresh_token }
    expect(await post(service, '/oauth/token', refresh, { as: 'json' })).toMatchObject({ status: 200, body: TOKENS })
  })

  it.each(['client_secret_basic', 'client_secret_post'])('proves itself with its secret by %s', async (method) => {
    const client = await registerClient(service, { token_endpoint_auth_method: method })
    const { client_id: id = '', client_secret: secret = '' } = client
    const { fields } = await codeFor(service, id)
    const { client_id: _id, ...rest } = fields
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    const answer = (given: string) =>
      method === 'client_secret_post'
        ? post(service, '/oauth/token', { ...fields, client_secret: given })
        : post(service, '/oauth/token', rest, { headers: { authorization: `Basic ${Buffer.from(`${id}:${given}`).toString('base64')}` } })
    expect(await answer('wrong')).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await post(service, '/oauth/token', fields)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await post(service, '/oauth/token', { ...fields, client_secret: secret }, { headers: { authorization: basic } })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
    expect(await answer(secret)).toMatchObject({ status: 200, body: TOKENS })
    const [stored] = await service.database.execute<{ text: string }>(
      'select metadata::text as text from oauth_clients where client_id = $1',
      [id],
    )
    expect(stored?.text).not.toContain(secret)
  })

  it('stores neither codes nor tokens as they are', async () => {
    const { fields, code } = await codeFor(service, BUILT_IN_CLIENT, { redirect_uri: 'http://127.0.0.1:1/oauth/callback' })
    const before = await service.database.execute<{ text: string }>('select (r.*)::text as text from oauth_records r')
    const { body } = await post(service, '/oauth/token', fields)
    const after = await service.database.execute<{ text: string }>('select (r.*)::text as text from oauth_records r')
    expect(before.length).toBeGreaterThan(0)
    expect(after.length).toBeGreaterThan(0)
    expect([...before, ...after].filter(({ text }) => text.includes(code) || text.includes(String(body.refresh_token)))).toEqual([])
  })

  it('is told that the person refused', async () => {
    const client = await registerClient(service)
    const answer = await askForAccess(service, authorizeQuery(client.client_id ?? '', pkce().challenge), { act: 'refuse' })
    expect(Object.fromEntries(answer.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'the access was refused',
      state: 'state',
      iss: PUBLIC_URL,
    })
    expect(await grants()).toEqual([])
  })

  it('sends email whose scheduled part fails once its access has ended', async () => {
    const { access_token: token } = await tokensFor(service, { scope: 'emails:send' })
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
    const { status, body } = await service.call('POST', '/emails', { token, body: { ...emailInput(), scheduled_at } })
    expect(status).toBe(200)
    const [grant] = await grants()
    const { outgoingEmails } = service.service.context.repositories
    const id = (body as { id: string }).id
    const isActive = async () => (await outgoingEmails.load([id])).get(id)?.isKeyActive
    expect(await isActive()).toBe(true)
    const rows = await service.database.execute('select api_key_id from emails where id = $1', [id])
    expect(rows).toEqual([{ api_key_id: grant?.id }])
    await service.call('DELETE', `/oauth/grants/${grant?.id}`)
    expect(await isActive()).toBe(false)
  })

  it('that may write broadcasts sends none without the right to send', async () => {
    const { access_token: token } = await tokensFor(service, { scope: 'broadcasts:write' })
    const body = { from: 'a@example.com', subject: 's', html: '<p>h</p>', segment_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10', send: true }
    expect(await service.call('POST', '/broadcasts', { token, body })).toMatchObject({
      status: 403,
      body: { name: 'invalid_permission', message: 'This access token lacks the scope `broadcasts:send`. Ask for access with that scope.' },
    })
    expect((await service.call('POST', '/broadcasts', { token, body: { ...body, send: false } })).status).toBe(422)
  })

  it('is named in the request log by its grant', async () => {
    const { access_token: token } = await tokensFor(service, { scope: 'domains:read' })
    await service.call('GET', '/domains', { token })
    await service.service.context.repositories.requestLogs.flush()
    const [grant] = await grants()
    expect(await service.database.execute(`select endpoint from request_logs where api_key_id = $1`, [grant?.id])).toEqual([
      { endpoint: '/domains' },
    ])
  })
})

describe('a grant', () => {
  it('stops working at once where it is ended', async () => {
    const { access_token: token } = await tokensFor(service)
    expect(await statusWith(token)).toBe(200)
    const [grant] = await grants()
    await service.call('DELETE', `/oauth/grants/${grant?.id}`)
    const answer = await service.call('GET', '/domains', { token })
    expect(answer).toMatchObject({
      status: 401,
      body: {
        statusCode: 401,
        name: 'invalid_access_token',
        message: 'This access token is not valid, or has expired. Get a new one with the refresh token, or ask for access again.',
      },
    })
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource"`,
    )
  })

  it('that no person has allowed ends with the last key of its team', async () => {
    const team = await service.service.context.repositories.teams.create('Short-lived')
    const key = await service.createKey(team.id)
    const client = (await registerClient(service)).client_id ?? ''
    const { verifier, challenge } = pkce()
    const answer = await askForAccess(service, authorizeQuery(client, challenge), { token: key, teamId: team.id })
    const fields = { grant_type: 'authorization_code', client_id: client, code: answer.searchParams.get('code') ?? '' }
    const { body } = await post(service, '/oauth/token', { ...fields, redirect_uri: REDIRECT_URI, code_verifier: verifier })
    await service.database.execute('update oauth_grants set person_id = null where team_id = $1', [team.id])
    const { data: keys } = (await service.call('GET', '/api-keys', { token: key })).body as { data: { id: string }[] }
    await service.call('DELETE', `/api-keys/${keys[0]?.id}`, { token: key })
    expect(
      await post(service, '/oauth/token', { grant_type: 'refresh_token', client_id: client, refresh_token: body.refresh_token }),
    ).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    const rows = await service.database.execute('select revoked_reason from oauth_grants where team_id = $1', [team.id])
    expect(rows).toEqual([{ revoked_reason: 'keys_deleted' }])
  })

  it('is remembered for a client on the web, but a program on the device asks each time', async () => {
    const web = (await registerClient(service, { redirect_uris: ['https://editor.example/cb'] })).client_id ?? ''
    const native = (await registerClient(service)).client_id ?? ''
    for (const [client, redirect_uri, location] of [
      [web, 'https://editor.example/cb', /^\/oauth\/authorize\//],
      [native, REDIRECT_URI, /^$/],
    ] as const) {
      const browser = openBrowser(service)
      await askForAccess(service, authorizeQuery(client, pkce().challenge, { redirect_uri, scope: 'emails:send' }), { browser })
      const asked = await browser.go(
        'GET',
        `/oauth/authorize?${authorizeQuery(client, pkce().challenge, { redirect_uri, scope: 'emails:send' })}`,
      )
      expect((await browser.go('GET', asked.location)).location).toMatch(location)
      const more = await browser.go(
        'GET',
        `/oauth/authorize?${authorizeQuery(client, pkce().challenge, { redirect_uri, scope: 'emails:send logs:read' })}`,
      )
      expect((await browser.go('GET', more.location)).location).toBe('')
      const again = authorizeQuery(client, pkce().challenge, { redirect_uri, scope: 'emails:send', prompt: 'consent' })
      expect((await browser.go('GET', (await browser.go('GET', `/oauth/authorize?${again}`)).location)).location).toBe('')
    }
    expect((await grants()).length).toBe(2)
  })
})

describe('discovery', () => {
  it('describes the authorization server (RFC 8414)', async () => {
    const { body } = await service.call('GET', '/.well-known/oauth-authorization-server', { token: null })
    expect(body).toEqual({
      issuer: PUBLIC_URL,
      authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
      token_endpoint: `${PUBLIC_URL}/oauth/token`,
      jwks_uri: `${PUBLIC_URL}/oauth/jwks`,
      registration_endpoint: `${PUBLIC_URL}/oauth/register`,
      revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
      device_authorization_endpoint: `${PUBLIC_URL}/oauth/device`,
      scopes_supported: expect.arrayContaining(['full_access', 'emails:send', 'domains:read', 'contacts:write', 'api-keys:write']),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
  })

  it('describes the resource, to which a 401 points (RFC 9728)', async () => {
    const { headers } = await service.call('GET', '/emails', { token: null })
    expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource"`)
    expect((await service.call('GET', '/.well-known/oauth-protected-resource', { token: null })).body).toMatchObject({
      resource: PUBLIC_URL,
      authorization_servers: [PUBLIC_URL],
      bearer_methods_supported: ['header'],
    })
  })

  it('shows the public keys, and no private one', async () => {
    const { body } = await service.call('GET', '/oauth/jwks', { token: null })
    expect(body).toEqual({
      keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: expect.any(String), x: expect.any(String), y: expect.any(String) }],
    })
  })
})
