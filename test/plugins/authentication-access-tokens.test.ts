import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ACCESS_TOKEN_SECONDS } from '../../src/modules/oauth/server/provider.ts'
import { authentication } from '../../src/plugins/authentication.ts'
import { errors } from '../../src/plugins/errors.ts'
import { tokensFor } from '../support/clients/oauth-client.ts'
import { createMovingClock } from '../support/clocks/clocks.ts'
import { shared, startTestService } from '../support/servers/service.ts'

let app: FastifyInstance

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
beforeAll(() => {
  const { context } = service.service
  app = Fastify()
  app.decorate('countTeamRequest', async () => null)
  app.decorate('countFailedCredential', async () => null)
  app.decorate('recognizeKey', async () => ({
    teamId: service.teamId,
    apiKeyId: 'key',
    permission: 'full_access' as const,
    domainId: null,
  }))
  errors(app, context)
  authentication(app, context)
  app.get('/no-operation', { config: { access: 'full' } }, async () => 'reached')
})
afterAll(() => app.close())

const get = async (url: string, token: string) => {
  const { statusCode, body } = await app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  return { statusCode, body }
}

it('opens no route that is no operation to an access token, whatever was allowed', async () => {
  const { access_token: token } = await tokensFor(service, { scope: 'full_access' })
  const refused = await get('/no-operation', token)
  expect({ ...refused, body: JSON.parse(refused.body) }).toEqual({
    statusCode: 403,
    body: {
      statusCode: 403,
      name: 'invalid_permission',
      message: 'Access tokens do not work here. Use an API key with full access.',
    },
  })
  expect(await get('/no-operation', service.token)).toEqual({ statusCode: 200, body: 'reached' })
})

it('takes an access token until its end, also one that was checked before', async () => {
  const { access_token: token } = await tokensFor(service, { scope: 'full_access' })
  const statusOf = async () => (await service.call('GET', '/emails', { token })).status
  expect(await statusOf()).toBe(200)
  clock.advance(2 * ACCESS_TOKEN_SECONDS * 1_000)
  expect(await statusOf()).toBe(401)
})
