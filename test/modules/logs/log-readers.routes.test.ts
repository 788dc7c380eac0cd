// Request logs tell no one what an operation answers that they may not call themselves: developers, and all keys, read logs, but not the audit log.
import { beforeAll, expect, it } from 'vitest'
import type { Operation } from '../../../src/http/operation.ts'
import { NOT_FOR_LOG_READERS } from '../../../src/modules/accounts/log-readers.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../support/clients/people.ts'
import { forEvery } from '../../support/for-every.ts'
import { type Records, recordsOf } from '../../support/records/records.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const service = shared(() => startTestService({ environment: { OPERATOR_KEY: KEY } }), 120_000)

let owner: SignedInPerson
let developer: { token: string }
let records: Records
beforeAll(async () => {
  owner = await confirmed('owner')
  const made = await callAs(service, await confirmed('developer'), 'POST', '/api-keys', { name: 'Mine' })
  developer = made.body as { token: string }
  records = recordsOf(service)
})

async function confirmed(role: 'owner' | 'developer'): Promise<SignedInPerson> {
  const person = await signInPerson(service, role, { roles: { [service.teamId]: role } })
  const { repositories, clock } = service.service.context
  await repositories.sessions.confirmAcrossTeams(person.sessionId, person.id, clock.now())
  return person
}

type Log = { endpoint: string; request_body: unknown; response_body: unknown }

/** What the key of the developer reads of the owner's last request. */
async function logOfOwner(): Promise<Log> {
  await service.service.context.repositories.requestLogs.flush()
  const [last] = await service.database.execute<{ id: string }>(
    'select id from request_logs where api_key_id = $1 order by id desc limit 1',
    [owner.id],
  )
  return (await service.call('GET', `/logs/${last?.id}`, { token: developer.token })).body as Log
}

const readingOperations = (): Operation[] =>
  (service.service.app?.operations ?? []).filter(
    ({ method, access, isLogged }) =>
      method === 'GET' && access !== 'operator' && access !== 'public' && access !== 'person' && isLogged !== false,
  )

it('hide the answer of each operation that the key of a developer cannot call, and keep the others', { timeout: 300_000 }, async () => {
  const hidden = new Set<string>()
  await forEvery(
    readingOperations(),
    async (operation) => {
      const { path } = await records.targetOf(operation)
      expect((await callAs(service, owner, 'GET', path)).status).toBe(200)
      const { response_body: logged } = await logOfOwner()
      const isAllowed = (await service.call('GET', path, { token: developer.token })).status === 200
      if (!isAllowed) hidden.add(operation.id)
      expect(logged === NOT_FOR_LOG_READERS).toBe(!isAllowed)
    },
    ({ id }) => id,
  )
  expect([...hidden].sort()).toEqual(expect.arrayContaining(['audit-log.list', 'audit-log.retrieve']))
})

it('hide who is invited and which role someone got, and keep why it was refused', async () => {
  const { persons } = service.service.context.repositories
  const { id } = await persons.ensureAcrossTeams('member@people.example', 'Member')
  await persons.addMember(service.teamId, id, 'support')
  expect((await callAs(service, owner, 'PATCH', `/members/${id}`, { role: 'viewer' })).status).toBe(200)
  const hidden = { request_body: NOT_FOR_LOG_READERS, response_body: NOT_FOR_LOG_READERS }
  expect(await logOfOwner()).toMatchObject({ endpoint: `/members/${id}`, ...hidden })
  const invited = { email: 'new@people.example', role: 'support' }
  expect((await callAs(service, owner, 'POST', '/invitations', invited)).status).toBe(201)
  expect(await logOfOwner()).toMatchObject({ endpoint: '/invitations', ...hidden })
  expect((await callAs(service, owner, 'POST', '/invitations', { ...invited, role: 'king' })).status).toBe(422)
  expect(await logOfOwner()).toMatchObject({ request_body: NOT_FOR_LOG_READERS, response_body: { name: 'validation_error' } })
})

it('do not have what the operator asks of teams', async () => {
  expect((await service.call('GET', `/teams/${service.teamId}/members`, { token: KEY })).status).toBe(200)
  await service.service.context.repositories.requestLogs.flush()
  expect(await service.database.execute(`select from request_logs where endpoint like '/teams%'`)).toEqual([])
})
