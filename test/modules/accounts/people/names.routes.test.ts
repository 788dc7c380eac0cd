// What people and teams are called is shown to others, and the name of who invites begins a mail to a stranger.
import { expect, it } from 'vitest'
import { nameFromProvider } from '../../../../src/modules/accounts/people/people.service.ts'
import { callAs, signInPerson } from '../../../support/clients/people.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const service = shared(() => startTestService({ environment: { OPERATOR_KEY: KEY } }))

const HIDING = ['Ada\r\nYour account is closed', 'Ada\u0007', 'Ada\u202eecivres', 'Ada\u2067x', 'Ada\u2028Mallory', 'Ada\u0085x']
const LEADING_AWAY = ['Ada https://evil.example', 'Ada of WWW.evil.example', 'x://y']

it.each([...HIDING, ...LEADING_AWAY])('a person is not called %j', async (name) => {
  const ada = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner' } })
  expect(await callAs(service, ada, 'PATCH', '/me', { name })).toMatchObject({ status: 422, body: { name: 'validation_error' } })
  expect((await callAs(service, ada, 'GET', '/me')).body).toMatchObject({ name: 'ada' })
})

it.each(['Ada Lovelace', 'Zoë O’Neill-Şahin', 'محمد', '李小龍 (Bruce)', 'A. www'])('a person is called %j', async (name) => {
  const grace = await signInPerson(service, 'grace', { roles: { [service.teamId]: 'owner' } })
  expect(await callAs(service, grace, 'PATCH', '/me', { name })).toMatchObject({ status: 200, body: { name } })
})

it.each(HIDING)('a team is not called %j, neither new nor later', async (name) => {
  const call = (method: string, path: string, body: object) => service.call(method, path, { token: KEY, body })
  expect(await call('POST', '/teams', { name })).toMatchObject({ status: 422, body: { name: 'validation_error' } })
  const { id } = (await call('POST', '/teams', { name: 'Acme' })).body as { id: string }
  expect(await call('PATCH', `/teams/${id}`, { name })).toMatchObject({ status: 422 })
})

it.each([
  ['Ada\r\nLovelace\u202e', 'Ada Lovelace'],
  ['Ada https://evil.example', 'Ada https evil.example'],
  ['\u202e\n', null],
])('an identity provider that calls someone %j makes of them %j', (given, name) => {
  expect(nameFromProvider(given)).toBe(name)
})
