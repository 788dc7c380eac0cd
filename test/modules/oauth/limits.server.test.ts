// How often an address or a client may ask, and what is answered when too much is open.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { authorizeQuery, BUILT_IN_CLIENT, openBrowser, pkce, post } from '../../support/clients/oauth-client.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

// Its minutes do not end while the requests of a test are made.
const service = shared(() =>
  startTestService({ clock: createMovingClock(), environment: { RATE_LIMIT_PER_SECOND: '100', TRUST_PROXY: '127.0.0.1' } }),
)
afterEach(() => vi.restoreAllMocks())

const from = (address: string) => ({ 'x-forwarded-for': address })

/** Counts requests without making them: `address` says from where each came. */
async function count(
  what: 'countAuthorization' | 'countTokenRequest',
  requests: number,
  { client = null, address }: { client?: string | null; address: (index: number) => string },
): Promise<void> {
  const { app } = service.service
  if (!app) throw new Error('This service has no API')
  const reply = { request: { is404: false }, headers: () => reply } as unknown as FastifyReply
  for (let index = 0; index < requests; index += 1) {
    const request = { ip: address(index), routeOptions: { config: {} } } as FastifyRequest
    expect(await app[what](request, reply, client)).toBeNull()
  }
}
const ofTwenty = (index: number) => `203.0.113.${index % 20}`

describe('an address', () => {
  it('may ask for tokens and revocation 600 times a minute together, and is told in the form of the protocol', async () => {
    await count('countTokenRequest', 598, { address: () => '198.51.100.1' })
    for (const path of ['/oauth/token', '/oauth/revoke'])
      expect((await post(service, path, { client_id: 'x' }, { headers: from('198.51.100.1') })).status).not.toBe(429)
    const { status, headers, body } = await post(service, '/oauth/token', {}, { headers: from('198.51.100.1') })
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        error: 'too_many_requests',
        error_description: 'More than 600 requests for tokens a minute came from your address. Please wait and try again.',
      },
    })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await post(service, '/oauth/revoke', {}, { headers: from('198.51.100.1') })).status).toBe(429)
    expect((await post(service, '/oauth/token', {}, { headers: from('198.51.100.2') })).status).toBe(400)
  })
})

describe('a client', () => {
  it('may be named in 600 requests for access a minute, from whatever addresses', async () => {
    const authorize = async (address: string, client: string) => {
      const url = `${service.url}/oauth/authorize?${authorizeQuery(client, pkce().challenge, { code_challenge: null })}`
      return fetch(url, { redirect: 'manual', headers: from(address) })
    }
    await count('countAuthorization', 599, { client: BUILT_IN_CLIENT, address: ofTwenty })
    expect((await authorize('203.0.113.99', BUILT_IN_CLIENT)).status).not.toBe(429)
    const refused = await authorize('203.0.113.100', BUILT_IN_CLIENT)
    expect({ status: refused.status, body: await refused.json() }).toEqual({
      status: 429,
      body: {
        error: 'too_many_requests',
        error_description: 'More than 600 requests for access a minute came from this client. Please wait and try again.',
      },
    })
    expect((await authorize('203.0.113.100', 'another')).status).toBe(400)
  })
})

describe('the tokens of a client', () => {
  it('may be asked for 6,000 times a minute, from whatever addresses', async () => {
    const ask = (address: string) =>
      post(
        service,
        '/oauth/token',
        { client_id: BUILT_IN_CLIENT, grant_type: 'refresh_token', refresh_token: 'x' },
        { headers: from(address) },
      )
    await count('countTokenRequest', 5_998, { client: BUILT_IN_CLIENT, address: ofTwenty })
    const statuses: number[] = []
    for (const address of ['203.0.113.0', '203.0.113.1', '203.0.113.2', '203.0.113.200']) statuses.push((await ask(address)).status)
    expect(statuses).toEqual([400, 400, 429, 429])
  })
})

describe('when too much is open', () => {
  const put = (what: string) => ({ error: 'temporarily_unavailable', error_description: `${what} Please try again later.` })
  const read = async (response: Response) => ({
    status: response.status,
    after: response.headers.get('retry-after'),
    body: await response.json(),
  })

  it('a request for access is put off', async () => {
    vi.spyOn(service.service.context.repositories.oauthRecords, 'areTooManyAsked').mockResolvedValue(true)
    expect(
      await read(await fetch(`${service.url}/oauth/authorize?${authorizeQuery('other', pkce().challenge)}`, { redirect: 'manual' })),
    ).toEqual({ status: 503, after: '600', body: put('Too many requests for access are open.') })
  })

  it('a registration is put off', async () => {
    vi.spyOn(service.service.context.repositories.oauthClients, 'makeRoom').mockResolvedValue(false)
    const body = JSON.stringify({ client_name: 'Editor', redirect_uris: ['https://editor.example/cb'] })
    const headers = { 'content-type': 'application/json' }
    expect(await read(await fetch(`${service.url}/oauth/register`, { method: 'POST', headers, body }))).toEqual({
      status: 503,
      after: '600',
      body: put('Too many clients are registered that no one gave access to.'),
    })
  })
})

describe('a person', () => {
  it('may enter 30 codes of a command line in ten minutes, right or wrong, and is told', async () => {
    const browser = openBrowser(service)
    await browser.signIn(service)
    const enter = () => browser.go('GET', '/console/device?user_code=BBBB-BBBB')
    for (let count = 0; count < 30; count += 1) expect((await enter()).status).toBe(404)
    const refused = await enter()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.text).toContain('More than 30 codes in ten minutes were entered.')
  })
})
