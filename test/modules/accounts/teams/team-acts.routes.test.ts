// What an operator does to a team stands in the log of that team: otherwise no one of it could see who suspended it, or let someone in.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../../src/cli/generated/generated-files.ts'
import type { Operation } from '../../../../src/http/operation.ts'
import { teamOperations } from '../../../house/openapi-document.ts'
import { callAs, OWN_PAGE, signInPerson } from '../../../support/clients/people.ts'
import { forEvery } from '../../../support/for-every.ts'
import { keepInstallationMails } from '../../../support/servers/mailed-links.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const UNKNOWN = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6bffff'

const service = shared(() =>
  startTestService({
    environment: { OPERATOR_KEY: KEY },
    beforeListening: (listening) =>
      // With this header, a request that access lets pass ends there.
      listening.addHook('onRequest', async ({ headers }, reply) => ('x-no-further' in headers ? reply.code(204).send() : undefined)),
  }),
)
const documented = teamOperations(await describeApi()).map(({ operation }) => operation)
let operations: Map<string, Operation>
beforeAll(() => {
  keepInstallationMails(service.service.context)
  operations = new Map(service.service.app?.operations.map((operation) => [operation.id, operation]))
})

const call = (method: string, path: string, body?: object, headers = {}) =>
  service.call(method, path, { token: KEY, headers, ...(body && { body }) })
const newTeam = async () => ((await call('POST', '/teams', { name: 'Acme' })).body as { id: string }).id

it('each act of the operator leaves a row in the log of the team, with what changed', async () => {
  const { persons } = service.service.context.repositories
  const id = await newTeam()
  const [owner, helper] = [
    await persons.ensureAcrossTeams('owner@acts.example', 'Owner'),
    await persons.ensureAcrossTeams('helper@acts.example', 'Helper'),
  ]
  await persons.addMember(id, owner.id, 'owner')
  await persons.addMember(id, helper.id, 'viewer')
  await call('PATCH', `/teams/${id}`, { name: 'Acme Ltd', guard: 'warn' })
  const { id: invitation } = (await call('POST', `/teams/${id}/invitations`, { email: 'new@acts.example', role: 'admin' })).body as {
    id: string
  }
  await call('DELETE', `/teams/${id}/invitations/${invitation}`)
  await call('PATCH', `/teams/${id}/members/${helper.id}`, { role: 'support' })
  await call('DELETE', `/teams/${id}/members/${helper.id}`)
  await call('PATCH', `/teams/${id}/limits`, { domains: 3 })
  await call('PATCH', `/teams/${id}/limits`, { domains: null, webhooks: 5 })
  await service.database.execute(
    `insert into team_reputations (team_id, status, since, reason) values ($1, 'bulk_paused', now(), 'Many bounces.')`,
    [id],
  )
  await call('POST', `/teams/${id}/release`)
  await call('POST', `/teams/${id}/suspend`, { reason: 'Unpaid.' })
  await call('POST', `/teams/${id}/resume`)
  await call('DELETE', `/teams/${id}`)
  await call('POST', `/teams/${id}/restore`)

  const token = await service.createKey(id)
  const { data } = (await service.call('GET', '/audit-log?limit=100&actor_type=operator', { token })).body as {
    data: { action: string; actor: object; target: { id: string }; before: object | null; after: object | null }[]
  }
  const rows = data.toReversed().map(({ action, target, before, after }) => [action, target.id, before, after])
  expect(rows).toEqual([
    ['teams.create', id, null, expect.objectContaining({ name: 'Acme' })],
    ['teams.update', id, { name: 'Acme', guard: 'all' }, { name: 'Acme Ltd', guard: 'warn' }],
    [
      'teams.invitations.create',
      invitation,
      null,
      expect.objectContaining({ email: 'new@acts.example', role: 'admin', digest: '[secret]' }),
    ],
    ['teams.invitations.delete', invitation, expect.objectContaining({ role: 'admin' }), null],
    ['teams.members.update', helper.id, { role: 'viewer' }, { role: 'support' }],
    ['teams.members.delete', helper.id, { role: 'support' }, null],
    ['teams.limits.update', id, null, { domains: 3 }],
    ['teams.limits.update', id, { domains: 3, webhooks: null }, { domains: null, webhooks: 5 }],
    [
      'teams.release',
      id,
      { status: 'bulk_paused', reason: 'Many bounces.', throttled: null, throttled_until: null },
      { status: 'good', reason: null, throttled: 'bulk', throttled_until: expect.any(String) },
    ],
    [
      'teams.suspend',
      id,
      { suspended_at: null, suspended_reason: null },
      { suspended_at: expect.any(String), suspended_reason: 'Unpaid.' },
    ],
    ['teams.resume', id, { suspended_at: expect.any(String), suspended_reason: 'Unpaid.' }, { suspended_at: null, suspended_reason: null }],
    ['teams.delete', id, { deleted_at: null, removes: null }, { deleted_at: expect.any(String), removes: expect.any(Object) }],
    ['teams.restore', id, { deleted_at: expect.any(String), removes: expect.any(Object) }, { deleted_at: null, removes: null }],
  ])
  expect(data[0]?.actor).toMatchObject({ type: 'operator', id: null, name: null, ip_address: '127.0.0.1' })
  const declared = [...operations.values()].filter(
    ({ id: act, access, audit }) => access === 'operator' && audit !== 'never' && act.startsWith('teams.'),
  )
  expect(declared.map(({ id: act }) => act).toSorted()).toEqual([...new Set(rows.map(([act]) => act))].toSorted())
})

it('a suspended team reads with every operation that reads, and changes nothing by any other', async () => {
  const id = await newTeam()
  const token = await service.createKey(id)
  await call('POST', `/teams/${id}/suspend`, { reason: 'Unpaid.' })
  const statuses = new Map<string, number>()
  await forEvery(documented, async ({ operationId }) => {
    const operation = operations.get(operationId)
    // Operations of people and of the operator take no key.
    if (!operation || operation.byPeople || (operation.access !== 'full' && operation.access !== 'sending')) return
    const path = operation.path.replaceAll(/:\w+/g, UNKNOWN)
    const answer = await service.service.app?.inject({
      method: operation.method,
      url: path,
      headers: { authorization: `Bearer ${token}`, 'x-no-further': '1' },
    })
    statuses.set(operationId, answer?.statusCode ?? 0)
    expect([operationId, answer?.statusCode]).toEqual([operationId, operation.method === 'GET' ? 204 : 403])
    if (operation.method !== 'GET')
      expect(answer?.json()).toMatchObject({
        name: 'invalid_access',
        message: expect.stringMatching(/^This team is suspended: .* Reason: Unpaid\.$/),
      })
  })
  expect(statuses.size).toBeGreaterThan(100)
})

describe('POST /teams with an Idempotency-Key', () => {
  const create = (name: string, key: string) => call('POST', '/teams', { name }, { 'idempotency-key': key })

  it('makes one team, however often and at once it is sent, and answers it as it is', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => create('Once', 'installer-1')))
    expect(new Set(answers.map(({ status, body }) => `${status} ${(body as { id: string }).id}`)).size).toBe(1)
    const { id } = { id: '', ...(answers[0]?.body as object) }
    await call('PATCH', `/teams/${id}`, { name: 'Renamed' })
    expect(await create('Once', 'installer-1')).toMatchObject({ status: 201, body: { id, name: 'Renamed' } })
    expect(await create('Once', 'installer-2')).not.toMatchObject({ body: { id } })
    expect(await service.database.execute(`select act from audit_log where team_id = $1 and act = 'teams.create'`, [id])).toHaveLength(1)
  })

  it('refuses the key with another body, and one that is none', async () => {
    await create('One', 'installer-3')
    expect(await create('Other', 'installer-3')).toMatchObject({ status: 409, body: { name: 'invalid_idempotent_request' } })
    expect(await create('One', 'x'.repeat(257))).toMatchObject({ status: 400, body: { name: 'invalid_idempotency_key' } })
  })
})

describe('a session whose team is deleted', () => {
  it('looks at another team of its person, and at none that is deleted', async () => {
    const [first, second] = [await newTeam(), await newTeam()]
    const ada = await signInPerson(service, 'ada-of-two', { roles: { [first]: 'owner', [second]: 'owner' } })
    const lookedAt = async () => (await callAs(service, ada, 'GET', '/me')).body as { team: { id: string } | null; teams: object[] }
    expect(await lookedAt()).toMatchObject({ team: { id: first }, teams: [{ id: first }, { id: second }] })
    await call('DELETE', `/teams/${first}`)
    expect(await lookedAt()).toMatchObject({ team: { id: second }, teams: [{ id: second }] })
    expect((await callAs(service, ada, 'GET', '/contacts')).status).toBe(200)
    expect(await callAs(service, ada, 'POST', '/me/team', { team_id: first })).toMatchObject({ status: 404 })
    const named = await service.call('GET', '/contacts', {
      token: null,
      headers: { cookie: ada.cookie, ...OWN_PAGE, 'posthaste-team': first },
    })
    expect(named).toMatchObject({
      status: 403,
      body: { name: 'invalid_access', message: expect.stringContaining('This team was deleted.') },
    })

    await call('DELETE', `/teams/${second}`)
    // There is no other: they learn why.
    expect(await callAs(service, ada, 'GET', '/contacts')).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('This team was deleted.') },
    })
    await call('POST', `/teams/${first}/restore`)
    expect((await lookedAt()).team).toMatchObject({ id: first })
  })
})
