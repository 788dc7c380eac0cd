// What programs must not get with a code or a token, whatever they do to it.
import { beforeAll, describe, expect, it } from 'vitest'
import { visit } from '../../support/clients/console.ts'
import {
  askForAccess,
  authorizeQuery,
  BUILT_IN_CLIENT,
  codeFor,
  pkce,
  post,
  REDIRECT_URI,
  registerClient,
  tokensFor,
} from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
let native: string

beforeAll(async () => {
  native = (await registerClient(service, { redirect_uris: [REDIRECT_URI, 'com.example.editor:/cb'] })).client_id ?? ''
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
    await service.database.execute(`update oauth_records set expires_at = now() - interval '1 second'`)
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

  it('is refused once its grant is that of another client', async () => {
    const { access_token: token } = await tokensFor(service, { scope: 'domains:read' })
    const { client_id: other } = await registerClient(service, { redirect_uris: [REDIRECT_URI] })
    await service.database.execute(
      `update oauth_grants set client_id = (select id from oauth_clients where client_id = $1)
       where id = (select id from oauth_grants order by id desc limit 1)`,
      [other],
    )
    expect(await statusOf(token)).toBe('401 invalid_access_token')
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
    expect((await visit(service, 'POST', '/console/sign-in/key', { form: { api_key: token.slice(0, 256) } })).status).toBe(403)
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
