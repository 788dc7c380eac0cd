import { Resend } from 'resend'
import { beforeAll, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { tokensFor } from '../../support/clients/oauth-client.ts'
import { until } from '../../support/clocks/until.ts'
import { oauthGrantRecord } from '../../support/records/team.ts'
import { shared, startTestService, type TestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)
const grantOf = (id: string) => ({
  id,
  client_id: '7136aa0b-625c-4c9c-8820-e9784c8eb141',
  scopes: ['emails:send'],
  resource: null,
  created_at: TIMESTAMP,
  last_used_at: null,
  revoked_at: null,
  revoked_reason: null,
  client: { name: 'Resend CLI', logo_uri: null },
  allowed_by: { id: expect.any(String), name: 'Grants', email: 'grants@people.example' },
})
const make = (team: Pick<TestService, 'teamId'> = service) =>
  oauthGrantRecord.make({ ...service, ...team }, () => Promise.reject(new Error('A grant needs no other record')))

it('lists all grants of the team, newest first, and those that ended as well', async () => {
  const [first, second] = [await make(), await make()]
  await make(service.other)
  expect(await resend.oauthGrants.list()).toMatchObject({
    error: null,
    data: { object: 'list', has_more: false, data: [grantOf(second), grantOf(first)] },
  })
  const { data: revocation } = await resend.oauthGrants.revoke(first)
  expect(revocation).toEqual({ object: 'oauth_grant', id: first, revoked_at: TIMESTAMP, revoked_reason: 'revoked_from_api' })
  const { body } = await service.call('GET', '/oauth/grants')
  expect(body).toEqual({
    object: 'list',
    has_more: false,
    data: [grantOf(second), { ...grantOf(first), revoked_at: revocation?.revoked_at, revoked_reason: 'revoked_from_api' }],
  })
})

it('says when the access was last used', async () => {
  const { access_token: token } = await tokensFor(service, { scope: 'domains:read' })
  await service.call('GET', '/domains', { token })
  await until(async () =>
    expect((await service.call('GET', '/oauth/grants?limit=1')).body).toMatchObject({ data: [{ last_used_at: TIMESTAMP }] }),
  )
})

it('pages like other lists', async () => {
  await make()
  const { body: all } = await service.call('GET', '/oauth/grants')
  const ids = (all as { data: { id: string }[] }).data.map(({ id }) => id)
  expect(await service.call('GET', `/oauth/grants?limit=1&after=${ids[0]}`)).toMatchObject({
    body: { object: 'list', has_more: ids.length > 2, data: [{ id: ids[1] }] },
  })
  expect(await service.call('GET', '/oauth/grants?limit=101')).toMatchObject({ status: 422, body: { name: 'validation_error' } })
})

it('answers 404 for a grant that ended already, is unknown, or belongs to another team', async () => {
  const [ended, foreign] = [await make(), await make(service.other)]
  expect((await service.call('DELETE', `/oauth/grants/${ended.toUpperCase()}`)).body).toMatchObject({ id: ended })
  for (const id of [ended, foreign, UNKNOWN_ID]) {
    expect(await service.call('DELETE', `/oauth/grants/${id}`)).toMatchObject({
      status: 404,
      body: { statusCode: 404, name: 'not_found', message: 'Grant not found' },
    })
  }
  expect((await service.call('GET', '/oauth/grants', { token: service.other.token })).body).toMatchObject({
    data: [{ revoked_at: null }, { revoked_at: null }],
  })
})
