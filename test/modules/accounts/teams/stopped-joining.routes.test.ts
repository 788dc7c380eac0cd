// A team that is suspended or deleted takes no one in and gives no program access, also on the pages that ask no operation.
import { describe, expect, it } from 'vitest'
import { COMMAND_LINE_CLIENT } from '../../../../src/cli/accounts/login.ts'
import { createFirstOwnerLink, invite } from '../../../../src/modules/accounts/people/people.service.ts'
import { signInAs, visit } from '../../../support/clients/console.ts'
import { authorizeQuery, openBrowser, pkce, post, registerClient } from '../../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const service = shared(() => startTestService({ environment: { OPERATOR_KEY: KEY } }))
const call = (method: string, path: string, body?: object) => service.call(method, path, { token: KEY, ...(body && { body }) })

const createTeam = async () => ((await call('POST', '/teams', { name: 'Acme' })).body as { id: string }).id

const STOPPED = [
  ['suspended', 'Reason: Unpaid.', (id: string) => call('POST', `/teams/${id}/suspend`, { reason: 'Unpaid.' }), 'resume'],
  ['deleted', 'This team was deleted.', (id: string) => call('DELETE', `/teams/${id}`), 'restore'],
] as const

async function browserOf(teamId: string) {
  const browser = openBrowser(service)
  const [name = '', value = ''] = (await signInAs(service.service.context, teamId, 'owner')).split('=', 2)
  browser.cookies.set(name, value)
  return browser
}

const grantsOf = async (teamId: string) =>
  (await service.database.execute('select id from oauth_grants where team_id = $1', [teamId])).length

describe.each(STOPPED)('a team that is %s', (_state, reason, stop, back) => {
  it('gets no member by an invitation, whose link works once the team is back', async () => {
    const id = await createTeam()
    const made = await invite(service.service.context, id, { email: `new-${id}@people.example`, role: 'owner', invitedBy: 'Ada' })
    if (typeof made === 'string') throw new Error(made)
    const path = new URL(made.link).pathname
    await stop(id)
    for (const method of ['GET', 'POST'] as const) {
      const seen = await visit(service, method, path, method === 'POST' ? { form: { name: 'New' } } : {})
      expect({ status: seen.status, cookie: seen.cookie }).toEqual({ status: 403, cookie: null })
      expect(seen.text).toContain(reason)
    }
    expect(await call('GET', `/teams/${id}/members`)).toMatchObject({ body: { data: [] } })
    await call('POST', `/teams/${id}/${back}`)
    expect(await visit(service, 'POST', path, { form: { name: 'New' } })).toMatchObject({ status: 303 })
  })

  it('gets no first owner, whose link works once the team is back', async () => {
    const id = await createTeam()
    const path = new URL(await createFirstOwnerLink(service.service.context, id, 60_000)).pathname
    await stop(id)
    const form = { email: `first-${id}@people.example`, name: 'First' }
    const seen = await visit(service, 'POST', path, { form })
    expect(seen.status).toBe(403)
    expect(seen.text).toContain(reason)
    await call('POST', `/teams/${id}/${back}`)
    expect(await visit(service, 'POST', path, { form })).toMatchObject({ status: 303 })
  })

  it('gets no one by the groups of the identity provider', async () => {
    const id = await createTeam()
    const { persons } = service.service.context.repositories
    const person = await persons.ensureAcrossTeams(`grouped-${id}@people.example`, 'Grouped')
    await stop(id)
    await persons.applyGroupsAcrossTeams(person.id, [{ teamId: id, role: 'viewer' }])
    expect(await persons.roleIn(id, person.id)).toBeNull()
    await call('POST', `/teams/${id}/${back}`)
    await persons.applyGroupsAcrossTeams(person.id, [{ teamId: id, role: 'viewer' }])
    expect(await persons.roleIn(id, person.id)).toBe('owner')
  })

  it('gives the command line no access', async () => {
    const id = await createTeam()
    const browser = await browserOf(id)
    const { body } = await post(service, '/oauth/device', { client_id: COMMAND_LINE_CLIENT, scope: 'domains:read' })
    await stop(id)
    const form = { user_code: String(body.user_code), act: 'allow', team: id, role: 'owner' }
    const seen = await browser.go('POST', '/console/device', form)
    expect(seen.status).toBe(403)
    expect(seen.text).toContain(reason)
    expect(await grantsOf(id)).toBe(0)
    await call('POST', `/teams/${id}/${back}`)
    expect((await browser.go('POST', '/console/device', form)).status).toBe(200)
    expect(await grantsOf(id)).toBe(1)
  })

  it('gives a program no access', async () => {
    const id = await createTeam()
    const browser = await browserOf(id)
    const { client_id: clientId = '' } = await registerClient(service)
    const { location } = await browser.go(
      'GET',
      `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, { scope: 'domains:read' })}`,
    )
    await stop(id)
    const allow = () => browser.go('POST', location, { act: 'allow', team: id, role: 'owner' })
    const seen = await allow()
    expect(seen.status).toBe(403)
    expect(seen.text).toContain(reason)
    expect(await grantsOf(id)).toBe(0)
    await call('POST', `/teams/${id}/${back}`)
    expect((await allow()).status).toBe(303)
  })
})

it('the operator invites to a suspended team, and not to a deleted one', async () => {
  const id = await createTeam()
  const asked = { email: 'invited@people.example', role: 'owner' }
  await call('POST', `/teams/${id}/suspend`, { reason: 'Unpaid.' })
  expect((await call('POST', `/teams/${id}/invitations`, asked)).status).toBe(201)
  await call('DELETE', `/teams/${id}`)
  expect(await call('POST', `/teams/${id}/invitations`, asked)).toMatchObject({
    status: 403,
    body: { name: 'invalid_access', message: expect.stringContaining('This team was deleted.') },
  })
})

it('the operator changes members and invitations of a suspended team, and not of a deleted one until it is restored', async () => {
  const id = await createTeam()
  const { persons } = service.service.context.repositories
  const person = await persons.ensureAcrossTeams('kept@people.example', 'Kept')
  await persons.addMember(id, person.id, 'support')
  const invited = (await call('POST', `/teams/${id}/invitations`, { email: 'later@people.example', role: 'viewer' })).body as { id: string }
  const member = `/teams/${id}/members/${person.id}`
  const changes = [
    () => call('PATCH', member, { role: 'viewer' }),
    () => call('DELETE', member),
    () => call('DELETE', `/teams/${id}/invitations/${invited.id}`),
  ]
  const people = async () => [(await call('GET', `/teams/${id}/members`)).body, (await call('GET', `/teams/${id}/invitations`)).body]
  const before = await people()
  await call('DELETE', `/teams/${id}`)
  for (const change of changes)
    expect(await change()).toMatchObject({
      status: 403,
      body: { name: 'invalid_access', message: expect.stringContaining('until then, only the operator of this service can restore it.') },
    })
  expect(await people()).toEqual(before)
  await call('POST', `/teams/${id}/restore`)
  await call('POST', `/teams/${id}/suspend`, { reason: 'Unpaid.' })
  for (const change of changes) expect((await change()).status).toBe(200)
})
