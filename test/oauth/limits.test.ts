// How often an address or a client may ask, and what is answered when too much is open.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { authorizeQuery, BUILT_IN_CLIENT, pkce, post } from '../support/clients/oauth-client.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '100', TRUST_PROXY: '127.0.0.1' } })
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => service.close())

const from = (address: string) => ({ 'x-forwarded-for': address })
const times = async (count: number, act: (index: number) => Promise<number>): Promise<Map<number, number>> => {
  const statuses = new Map<number, number>()
  let next = 0
  const one = async () => {
    while (next < count) {
      next += 1
      const status = await act(next - 1)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 10 }, one))
  return statuses
}

describe('an address', () => {
  it('may ask for tokens and revocation 600 times a minute together, and is told in the form of the protocol', async () => {
    const statuses = await times(602, async (index) => {
      const path = index % 2 === 0 ? '/oauth/token' : '/oauth/revoke'
      return (await post(service, path, { client_id: 'x' }, { headers: from('198.51.100.1') })).status
    })
    expect(statuses.get(429)).toBe(2)
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
    const statuses = await times(602, async (index) => (await authorize(`203.0.113.${index % 20}`, BUILT_IN_CLIENT)).status)
    expect(statuses.get(429)).toBe(2)
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
  it('may be asked for 6,000 times a minute, from whatever addresses', { timeout: 120_000 }, async () => {
    const ask = (address: string) =>
      post(
        service,
        '/oauth/token',
        { client_id: BUILT_IN_CLIENT, grant_type: 'refresh_token', refresh_token: 'x' },
        { headers: from(address) },
      )
    const statuses = await times(6_002, async (index) => (await ask(`203.0.113.${index % 20}`)).status)
    expect(statuses.get(429)).toBe(2)
    expect((await ask('203.0.113.200')).status).toBe(429)
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
