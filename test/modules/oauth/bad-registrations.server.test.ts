// Which programs are registered, and which are not.
import { describe, expect, it } from 'vitest'
import { post } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
const WEB_URI = 'https://editor.example/cb'

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
