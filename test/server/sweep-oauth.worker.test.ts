import { expect, it } from 'vitest'
import { COMMAND_LINE_CLIENT } from '../../src/cli/accounts/login.ts'
import { sweepOAuth } from '../../src/server/sweeps.ts'
import { BUILT_IN_CLIENT, post, registerClient, tokensFor } from '../support/clients/oauth-client.ts'
import { createMovingClock } from '../support/clocks/clocks.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const DAY_MS = 86_400_000

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

const sweep = () => sweepOAuth(service.service.context)
const clients = async () =>
  (await service.database.execute<{ id: string }>('select client_id as id from oauth_clients order by created_at, id')).map(({ id }) => id)
const records = async () => (await service.database.execute('select kind from oauth_records')).length
const grants = () => service.database.execute('select revoked_reason as reason from oauth_grants order by id')

it('removes what has expired, ends grants that are not used, and forgets clients that no one gave access to', async () => {
  const abandoned = (await registerClient(service)).client_id ?? ''
  const { clientId, refresh_token: token } = await tokensFor(service)
  const refresh = () => post(service, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
  const before = await records()
  await sweep()
  expect(await clients()).toEqual(expect.arrayContaining([BUILT_IN_CLIENT, abandoned, clientId]))
  expect(await records()).toBe(before)

  clock.advance(29 * DAY_MS)
  await sweep()
  expect(await clients()).toContain(abandoned)
  // The code and the request for access have expired, and the refresh token has not.
  expect(await records()).toBe(1)

  clock.advance(2 * DAY_MS)
  await sweep()
  expect(await clients()).not.toContain(abandoned)
  expect(await clients()).toEqual(expect.arrayContaining([BUILT_IN_CLIENT, clientId]))

  clock.advance(28 * DAY_MS)
  await sweep()
  expect(await grants()).toEqual([{ reason: null }])
  clock.advance(3 * DAY_MS)
  await sweep()
  expect(await records()).toBe(0)
  expect(await grants()).toEqual([{ reason: 'unused' }])
  expect(await refresh()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })

  clock.advance(366 * DAY_MS)
  await sweep()
  expect(await grants()).toEqual([])
  await sweep()
  expect((await clients()).toSorted()).toEqual([COMMAND_LINE_CLIENT, BUILT_IN_CLIENT])
})
