// Whose API key reads the audit log, and who leads it out by a webhook: a role that excludes it would be got around by a key otherwise.
import { beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import type { MemberRole } from '../../../src/lib/member-roles.ts'
import { signIn } from '../../support/clients/console.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

/** Someone of this role, and a key with full access that they made. */
async function maker(role: MemberRole): Promise<SignedInPerson & { token: string }> {
  const person = await signInPerson(service, `${role}-${createId()}`, { roles: { [service.teamId]: role } })
  const { repositories, clock } = service.service.context
  await repositories.sessions.confirmAcrossTeams(person.sessionId, person.id, clock.now())
  const made = await callAs(service, person, 'POST', '/api-keys', { name: 'Mine' })
  expect(made.status).toBe(201)
  return { ...person, token: (made.body as { token: string }).token }
}

const REFUSED = {
  status: 403,
  body: { name: 'invalid_permission', message: expect.stringContaining('not an owner or admin of the team now') },
}
const WITH_LOG = { endpoint: null, events: ['audit.recorded'] }

let developer: Awaited<ReturnType<typeof maker>>
beforeAll(async () => {
  developer = await maker('developer')
  await signIn(service)
})

describe('the audit log', () => {
  it.each([
    ['the list', () => '/audit-log'],
    ['the export', () => '/audit-log?format=csv'],
    ['an entry', () => `/audit-log/${createId()}`],
  ])('refuses %s to the key of a developer, and to a key that was made with it', async (_what, path) => {
    const { body } = await service.call('POST', '/api-keys', { token: developer.token, body: { name: 'Another' } })
    for (const { token } of [developer, body as { token: string }])
      expect(await service.call('GET', path(), { token })).toMatchObject(REFUSED)
    expect((await service.call('GET', '/domains', { token: developer.token })).status).toBe(200)
  })

  it('is read by the keys of owners, admins and of no one, and goes by the role of now', async () => {
    const { persons } = service.service.context.repositories
    const { id, token } = await maker('admin')
    const statusOf = async () => (await service.call('GET', '/audit-log', { token })).status
    expect((await service.call('GET', '/audit-log')).status).toBe(200)
    expect((await service.call('GET', '/audit-log', { token: (await maker('owner')).token })).status).toBe(200)
    expect(await statusOf()).toBe(200)
    await persons.changeRole(service.teamId, id, 'developer')
    expect(await statusOf()).toBe(403)
    await persons.removeMember(service.teamId, id)
    expect(await statusOf()).toBe(403)
  })
})

describe('a webhook with audit.recorded', () => {
  it('is made, got and led elsewhere by no developer and no key of one', async () => {
    const own = (await service.call('POST', '/webhooks', { body: WITH_LOG })).body as { id: string }
    const plain = (await service.call('POST', '/webhooks', { body: { endpoint: null, events: ['email.sent'] } })).body as { id: string }
    for (const [method, path, body] of [
      ['POST', '/webhooks', WITH_LOG],
      ['PATCH', `/webhooks/${plain.id}`, { events: ['email.sent', 'audit.recorded'] }],
      ['PATCH', `/webhooks/${own.id}`, { endpoint: 'https://example.com/mine' }],
    ] as const) {
      expect(await service.call(method, path, { token: developer.token, body })).toMatchObject(REFUSED)
      expect(await callAs(service, developer, method, path, body)).toMatchObject({ status: 403, body: { name: 'invalid_permission' } })
    }
    expect((await service.call('PATCH', `/webhooks/${own.id}`, { token: developer.token, body: { status: 'disabled' } })).status).toBe(200)
    expect((await service.call('PATCH', `/webhooks/${plain.id}`, { body: { events: ['audit.recorded'] } })).status).toBe(200)
  })
})
