// How a program keeps its access, and what happens when someone else has its refresh token.
import { afterEach, describe, expect, it } from 'vitest'
import { emailInput } from '../../support/builders/emails.ts'
import { post, registerClient, tokensFor } from '../../support/clients/oauth-client.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(() => service.database.execute('delete from oauth_grants'))

type Grant = { id: string; revoked_at: string | null; revoked_reason: string | null }
const grants = async () => ((await service.call('GET', '/oauth/grants')).body as { data: Grant[] }).data
const statusWith = async (token: string) => (await service.call('GET', '/domains', { token })).status
const TOKENS = {
  access_token: expect.stringMatching(/^eyJ/),
  expires_in: 900,
  refresh_token: expect.stringMatching(/^[\w-]{43}$/),
  token_type: 'Bearer',
}
/** Makes it look as if it had been used so many seconds ago. */
const age = (column: 'consumed_at' | 'expires_at', seconds: number) =>
  service.database.execute(`update oauth_records set ${column} = now() - make_interval(secs => $1) where ${column} is not null`, [seconds])

const REFUSED = { status: 400, body: { error: 'invalid_grant' } }

describe('a refresh token', () => {
  const refresh = (clientId: string, token: string, more: object = {}) =>
    post(service, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more })

  it('is replaced with each use, and taken again within a minute, because an answer may be lost', async () => {
    const { clientId, refresh_token: first } = await tokensFor(service)
    const second = await refresh(clientId, first)
    expect(second).toMatchObject({ status: 200, body: TOKENS })
    expect(second.body.refresh_token).not.toBe(first)
    expect(await refresh(clientId, first)).toMatchObject({ status: 200, body: TOKENS })
    expect(await refresh(clientId, String(second.body.refresh_token))).toMatchObject({ status: 200, body: TOKENS })
  })

  it('knows how many came before it, by which its chain is shortened', async () => {
    const { clientId, refresh_token: first } = await tokensFor(service)
    let token = first
    for (let use = 0; use < 3; use += 1) token = String((await refresh(clientId, token)).body.refresh_token)
    const rows = await service.database.execute(
      `select coalesce((payload->>'turn')::int, 0) as turn, consumed_at is null as unused from oauth_records
        where kind = 'RefreshToken' and grant_id in (select id from oauth_grants) order by turn`,
    )
    expect(rows).toEqual([0, 1, 2, 3].map((turn) => ({ turn, unused: turn === 3 })))
  })

  it('that comes a second time after that ends the whole grant', async () => {
    const { clientId, refresh_token: first, access_token: token } = await tokensFor(service)
    const { body: second } = await refresh(clientId, first)
    expect(await statusWith(token)).toBe(200)
    await age('consumed_at', 61)
    expect(await refresh(clientId, first)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await refresh(clientId, String(second.refresh_token))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await statusWith(token)).toBe(401)
    expect(await statusWith(String(second.access_token))).toBe(401)
    expect(await grants()).toMatchObject([{ revoked_reason: 'token_reused' }])
  })

  it.each([
    [59, 200],
    [61, 400],
  ])('that was used %i seconds ago is answered %i', async (seconds, status) => {
    // One that is asked about a second late is too old, so that another is tried.
    await until(async () => {
      const { clientId, refresh_token: first } = await tokensFor(service)
      await refresh(clientId, first)
      await age('consumed_at', seconds)
      expect((await refresh(clientId, first)).status).toBe(status)
    })
  })

  it('is not taken again once a token that followed it was used, and ends the grant', async () => {
    const { clientId, refresh_token: first } = await tokensFor(service)
    const { body: second } = await refresh(clientId, first)
    const { body: third } = await refresh(clientId, String(second.refresh_token))
    expect(await refresh(clientId, first)).toMatchObject(REFUSED)
    expect(await refresh(clientId, String(third.refresh_token))).toMatchObject(REFUSED)
    expect(await grants()).toMatchObject([{ revoked_reason: 'token_reused' }])
  })

  it('grows into one chain only: the second token that followed it ends the grant', async () => {
    const { clientId, refresh_token: first } = await tokensFor(service)
    const [one, other] = [await refresh(clientId, first), await refresh(clientId, first)]
    expect(await refresh(clientId, String(one.body.refresh_token))).toMatchObject({ status: 200 })
    expect(await refresh(clientId, String(other.body.refresh_token))).toMatchObject(REFUSED)
    expect(await grants()).toMatchObject([{ revoked_reason: 'token_reused' }])
  })

  it('grows into one chain only, also if two that followed it come at once', async () => {
    const { clientId, refresh_token: first } = await tokensFor(service)
    const followers = await Promise.all(Array.from({ length: 4 }, () => refresh(clientId, first)))
    expect(followers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const answers = await Promise.all(followers.map(({ body }) => refresh(clientId, String(body.refresh_token))))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(await grants()).toMatchObject([{ revoked_reason: 'token_reused' }])
  })

  it('is taken four times in all', async () => {
    const { clientId, refresh_token: first } = await tokensFor(service)
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(clientId, first)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(4)
    expect(await grants()).toMatchObject([{ revoked_reason: 'token_reused' }])
  })

  it('gives less than it has when less is asked for, and never more', async () => {
    const { clientId, refresh_token: first } = await tokensFor(service, { scope: 'emails:send domains:read' })
    const { body } = await refresh(clientId, first, { scope: 'domains:read' })
    expect(body).toMatchObject({ scope: 'domains:read' })
    expect((await service.call('POST', '/emails', { token: String(body.access_token), body: emailInput() })).status).toBe(403)
    for (const scope of ['domains:read contacts:read', 'full_access'])
      expect(await refresh(clientId, String(body.refresh_token), { scope })).toMatchObject({
        status: 400,
        body: { error: 'invalid_scope' },
      })
    expect(await refresh(clientId, String(body.refresh_token))).toMatchObject({ body: { scope: 'emails:send domains:read' } })
  })

  it('is of no use to another client, and after 60 days to none', async () => {
    const { clientId, refresh_token: token } = await tokensFor(service)
    const thief = (await registerClient(service)).client_id ?? ''
    expect(await refresh(thief, token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await refresh(clientId, token)).toMatchObject({ status: 200 })
    await age('expires_at', 1)
    expect(await refresh(clientId, token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it('ends the grant when its client revokes it, and any other token is answered in the same way', async () => {
    const { clientId, refresh_token: token, access_token: access } = await tokensFor(service)
    const other = (await registerClient(service)).client_id ?? ''
    const revoke = async (fields: object) => {
      const response = await fetch(`${service.url}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ ...fields }) })
      return { status: response.status, text: await response.text() }
    }
    expect(await revoke({ client_id: other, token })).toEqual({ status: 200, text: '' })
    expect(await revoke({ client_id: clientId, token: 'unknown' })).toEqual({ status: 200, text: '' })
    expect(await statusWith(access)).toBe(200)
    expect(await revoke({ client_id: clientId, token: access, token_type_hint: 'access_token' })).toMatchObject({ status: 400 })
    expect(await revoke({ client_id: clientId, token })).toEqual({ status: 200, text: '' })
    expect(await statusWith(access)).toBe(401)
    expect(await grants()).toMatchObject([{ revoked_reason: 'revoked_by_client' }])
  })
})
