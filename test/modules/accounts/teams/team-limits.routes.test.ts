import { expect, it } from 'vitest'
import { shared, startTestService } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const service = shared(() => startTestService({ environment: { OPERATOR_KEY: KEY } }))

const NONE = {
  object: 'team_limits',
  emails_per_day: null,
  emails_per_month: null,
  broadcast_recipients: null,
  contacts: null,
  domains: null,
  webhooks: null,
  stored_bytes: null,
}

const call = (method: string, path: string, body?: object) => service.call(method, path, { token: KEY, ...(body && { body }) })

it('are changed one by one, hold for the team, and are seen by it and by the operator', async () => {
  const path = `/teams/${service.other.teamId}`
  expect(await call('GET', `${path}/limits`)).toMatchObject({ status: 200, body: NONE })
  await call('PATCH', `${path}/limits`, { emails_per_day: 1, domains: 0 })
  const changed = await call('PATCH', `${path}/limits`, { domains: null })
  expect(changed).toMatchObject({ status: 200, body: { ...NONE, emails_per_day: 1 } })

  const email = { from: 'a@example.com', to: 'b@example.org', subject: 's', text: 't' }
  const { token } = service.other
  const answers = [
    await service.call('POST', '/emails', { token, body: email }),
    await service.call('POST', '/emails', { token, body: email }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 429])
  const usage = await call('GET', `${path}/usage`)
  expect(usage.body).toMatchObject({ object: 'usage', emails: { daily: { used: 1, limit: 1 } } })
  expect((await service.call('GET', '/usage', { token })).body).toEqual(usage.body)
})

it('are not changed by the team, to a number that is no limit, or of a team that is unknown', async () => {
  const path = `/teams/${service.teamId}/limits`
  expect((await service.call('PATCH', path, { body: { emails_per_day: null } })).status).toBe(404)
  expect(await call('PATCH', path, { emails_per_day: -1 })).toMatchObject({ status: 422 })
  expect((await call('PATCH', '/teams/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c61/limits', { domains: 1 })).status).toBe(404)
})
