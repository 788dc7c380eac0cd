import { expect, it } from 'vitest'
import { signIn, visit } from '../../support/clients/console.ts'
import { registerClient, tokensFor } from '../../support/clients/oauth-client.ts'
import { oauthGrantRecord } from '../../support/records/team.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

const read = async (cookie: string, path = '/console/grants') => (await visit(service, 'GET', path, { cookie })).text

it('shows what has access, since when and when it was last used, and ends it', async () => {
  const cookie = await signIn(service)
  expect(await read(cookie)).toContain('No program has had access. A program, such as')
  const client = await registerClient(service, { client_name: '<script>alert(1)</script>' })
  const { access_token: token } = await tokensFor(service, { clientId: client.client_id ?? '', scope: 'domains:read' })
  expect(await read(cookie)).toMatch(/never/)
  await service.call('GET', '/domains', { token })
  const text = await read(cookie)
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(text).toContain('Read Domains.')
  expect(text).toContain('allowed by <bdi>The owner</bdi>')
  expect(text).not.toContain('>never<span')
  const [, action = ''] = /action="(\/console\/grants\/[^"]+)"/.exec(text) ?? []
  expect((await visit(service, 'POST', action, { cookie, origin: 'https://evil.example' })).status).toBe(403)
  expect((await visit(service, 'POST', action, { cookie })).location).toBe('/console/grants?done=ended')
  expect((await service.call('GET', '/domains', { token })).status).toBe(401)
  expect((await service.call('GET', '/oauth/grants')).body).toMatchObject({ data: [{ revoked_reason: 'revoked_from_console' }] })
  expect((await visit(service, 'POST', action, { cookie })).location).toBe('/console/grants?done=gone')
  expect(await read(cookie, '/console/grants?done=gone')).toContain('The access had already ended.')
})

it("neither shows nor ends another team's, and says which no person has allowed", async () => {
  const id = await oauthGrantRecord.make({ ...service, teamId: service.other.teamId }, () => Promise.reject(new Error('not needed')))
  const cookie = await signIn(service)
  const mine = await oauthGrantRecord.make(service, () => Promise.reject(new Error('not needed')))
  await service.database.execute('update oauth_grants set person_id = null where id = $1', [mine])
  expect(await read(cookie)).not.toContain(id)
  expect(await read(cookie)).toContain('allowed before people')
  expect((await visit(service, 'POST', `/console/grants/${id}/end`, { cookie })).location).toBe('/console/grants?done=gone')
  expect((await service.call('GET', '/oauth/grants', { token: service.other.token })).body).toMatchObject({ data: [{ revoked_at: null }] })
})

it('shows the API keys that a program made, which outlive its access until they are deleted', async () => {
  const cookie = await signIn(service)
  const { access_token: token } = await tokensFor(service, { scope: 'api-keys:write' })
  const { body } = await service.call('POST', '/api-keys', { token, body: { name: '<b>Deploy' } })
  const { id, token: key } = body as { id: string; token: string }
  await service.call('POST', '/api-keys', { body: { name: 'Of a person' } })
  const text = await read(cookie)
  expect(text).toContain(`made the API key <a href="/console/api-keys/${id}"><bdi>&lt;b&gt;Deploy</bdi></a>`)
  expect(text).not.toContain('Of a person')
  const [, action = ''] = /action="(\/console\/grants\/[^"]+)"/.exec(text) ?? []
  await visit(service, 'POST', action, { cookie })
  expect((await service.call('GET', '/domains', { token: key })).status).toBe(200)
  expect(await read(cookie)).toContain(`/console/api-keys/${id}`)
  await service.call('DELETE', `/api-keys/${id}`)
  expect(await read(cookie)).not.toContain(`/console/api-keys/${id}`)
})
