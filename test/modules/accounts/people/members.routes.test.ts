// Who belongs to a team, and who is invited: what the operations answer, whom they refuse, and that no other team is reached.
import { beforeAll, describe, expect, it } from 'vitest'
import type { MemberRole } from '../../../../src/lib/member-roles.ts'
import { createDocumentationToken } from '../../../../src/modules/accounts/sessions/sessions.service.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { signInAs } from '../../../support/clients/console.ts'
import { keepInstallationMails, type SentMails } from '../../../support/servers/mailed-links.ts'
import { type Answer, shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{6}\+00$/)
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/)

let mails: SentMails
beforeAll(() => {
  mails = keepInstallationMails(service.service.context)
})

type Someone = { id: string; email: string; token: string }

/** Someone with this role in a team, who is signed in. */
async function someone(teamId: string, role: MemberRole): Promise<Someone> {
  const { context } = service.service
  const cookie = await signInAs(context, teamId, role)
  const made = await createDocumentationToken(context, cookie.slice(cookie.indexOf('=') + 1))
  const email = `${role}-${teamId}@people.example`
  const person = await context.repositories.persons.findByEmailAcrossTeams(email)
  if (!made || !person) throw new Error('Not signed in')
  return { id: person.id, email, token: made.token }
}

/** A team with someone of each of these roles. */
async function team<Role extends MemberRole>(...roles: Role[]): Promise<{ id: string } & Record<Role, Someone>> {
  const { id } = await service.service.context.repositories.teams.create('Acme')
  const people = await Promise.all(roles.map(async (role) => [role, await someone(id, role)] as const))
  return { id, ...(Object.fromEntries(people) as Record<Role, Someone>) }
}

const call = (method: string, path: string, { token }: { token: string }, body?: object): Promise<Answer> =>
  service.call(method, path, { token, ...(body && { body }) })
/** What the page answers that a mailed link opens. */
const statusOf = async (link: string) => (await fetch(`${service.url}${new URL(link).pathname}`)).status
const refused = (message: string, status = 403, name = 'invalid_permission') => ({ status, body: { statusCode: status, name, message } })
const LAST = refused('This is the only owner of the team: make someone else an owner first.', 422, 'validation_error')
const mayNot = (giver: string, role: string) =>
  refused(`Your role in this team (${giver}) may not give, change or remove the role ${role}.`)

describe('the members of a team', () => {
  it('are listed, newest first, and no one of another team', async () => {
    const { owner, id } = await team('owner')
    const viewer = await someone(id, 'viewer')
    const member = (role: string, one: Someone) => ({ id: one.id, email: one.email, name: `The ${role}`, role, created_at: TIME })
    expect((await call('GET', '/members', owner)).body).toEqual({
      ...{ object: 'list', has_more: false, data: [member('viewer', viewer), member('owner', owner)] },
    })
    expect((await call('GET', '/members?limit=1', owner)).body).toEqual({
      ...{ object: 'list', has_more: true, data: [member('viewer', viewer)] },
    })
    expect((await call('GET', `/members?limit=1&after=${viewer.id}`, owner)).body).toMatchObject({ data: [{ id: owner.id }] })
  })

  it('get another role, which holds from their next request on', async () => {
    const { owner, viewer } = await team('owner', 'viewer')
    expect((await call('GET', '/api-keys', viewer)).status).toBe(403)
    expect(await call('PATCH', `/members/${viewer.id}`, owner, { role: 'developer' })).toMatchObject({
      status: 200,
      body: { object: 'member', id: viewer.id, email: viewer.email, name: 'The viewer', role: 'developer', created_at: TIME },
    })
    expect((await call('GET', '/api-keys', viewer)).status).toBe(200)
  })

  it('are changed by no key, by no one of themselves, and by no one who may do less', async () => {
    const { id, owner, admin, developer } = await team('owner', 'admin', 'developer')
    const key = { token: await service.createKey(id) }
    const byKey = refused('People who are signed in do this, or programs that one of them allowed. An API key cannot.')
    expect(await call('PATCH', `/members/${developer.id}`, key, { role: 'owner' })).toMatchObject(byKey)
    expect(await call('PATCH', `/members/${admin.id}`, admin, { role: 'developer' })).toMatchObject(
      refused('You cannot change your own role. Ask another owner or admin.'),
    )
    expect(await call('PATCH', `/members/${developer.id}`, admin, { role: 'owner' })).toMatchObject(mayNot('admin', 'owner'))
    expect(await call('PATCH', `/members/${owner.id}`, admin, { role: 'viewer' })).toMatchObject(mayNot('admin', 'owner'))
    expect(await call('DELETE', `/members/${owner.id}`, admin)).toMatchObject(mayNot('admin', 'owner'))
    expect((await call('DELETE', `/members/${admin.id}`, developer)).status).toBe(403)
    expect((await call('PATCH', `/members/${developer.id}`, owner, { role: 'god' })).status).toBe(422)
  })

  it('always have an owner: the last one cannot leave', async () => {
    const { owner, id } = await team('owner')
    expect(await call('DELETE', `/members/${owner.id}`, owner)).toMatchObject(LAST)
    const { persons } = service.service.context.repositories
    const second = await persons.ensureAcrossTeams(`second-${id}@people.example`, 'Second')
    await persons.addMember(id, second.id, 'owner')
    expect((await call('DELETE', `/members/${owner.id}`, owner)).status).toBe(200)
    expect(await persons.ownersOf(id)).toMatchObject([{ id: second.id }])
  })

  it('always have an owner, also when two make each other something else at once', async () => {
    const { id, owner } = await team('owner')
    const { persons } = service.service.context.repositories
    const second = await persons.ensureAcrossTeams(`other-${id}@people.example`, 'Other')
    await persons.addMember(id, second.id, 'owner')
    const both = await Promise.all([owner.id, second.id].map((one) => persons.changeRole(id, one, 'viewer')))
    expect(both.filter((changed) => changed === 'lastOwner')).toHaveLength(1)
  })

  it('can do nothing more once they are removed; the keys that they made are named, and keep working', async () => {
    const { id, owner, developer } = await team('owner', 'developer')
    const made = (await call('POST', '/api-keys', developer, { name: 'Of the developer' })).body as { id: string; token: string }
    await call('POST', '/api-keys', owner, { name: 'Of the owner' })
    await service.createKey(id)
    expect((await call('DELETE', `/members/${developer.id}`, owner)).body).toEqual({
      ...{ object: 'member', id: developer.id, deleted: true, api_keys: [{ id: made.id, name: 'Of the developer' }] },
    })
    expect((await call('GET', '/domains', developer)).status).toBe(403)
    expect((await call('GET', '/domains', made)).status).toBe(200)
    expect(await call('DELETE', `/members/${developer.id}`, owner)).toMatchObject(refused('Member not found', 404, 'not_found'))
  })

  it('leave by themselves, whatever their role', async () => {
    const { owner, admin } = await team('owner', 'admin')
    expect((await call('DELETE', `/members/${admin.id}`, admin)).body).toMatchObject({ id: admin.id, deleted: true, api_keys: [] })
    expect((await call('GET', '/members', owner)).body).toMatchObject({ data: [{ id: owner.id }] })
  })

  it('of another team are not found, as an id that no one has', async () => {
    const { owner } = await team('owner')
    const theirs = await team('owner', 'viewer')
    for (const id of [theirs.viewer.id, UNKNOWN_ID]) {
      const unknown = refused('Member not found', 404, 'not_found')
      expect(await call('PATCH', `/members/${id}`, owner, { role: 'owner' })).toMatchObject(unknown)
      expect(await call('DELETE', `/members/${id}`, owner)).toMatchObject(unknown)
    }
    expect((await call('GET', '/members', theirs.owner)).body).toMatchObject({ data: [{}, {}] })
  })
})

describe('the invitations of a team', () => {
  const invite = (by: Someone, email: string, role = 'support') => call('POST', '/invitations', by, { email, role })

  it('are mailed, listed newest first, and revoked', async () => {
    const { owner } = await team('owner')
    const first = await invite(owner, 'Grace@People.Example')
    const invitation = {
      ...{ id: ID, email: 'grace@people.example', role: 'support', invited_by: 'The owner', created_at: TIME, expires_at: TIME },
    }
    expect(first).toMatchObject({ status: 201, body: { object: 'invitation', ...invitation } })
    expect(JSON.stringify(first.body)).not.toContain('/console/invitations/')
    const mail = await mails.next()
    expect(mail).toMatchObject({ to: 'grace@people.example', text: expect.stringContaining(mail.secret) })
    const { id: firstId } = first.body as { id: string }
    const { id } = (await invite(owner, 'alan@people.example')).body as { id: string }
    await mails.next()
    expect((await call('GET', '/invitations', owner)).body).toMatchObject({
      object: 'list',
      has_more: false,
      data: [{ id }, { id: firstId }],
    })
    expect((await call('DELETE', `/invitations/${id}`, owner)).body).toEqual({ object: 'invitation', id, deleted: true })
    expect((await call('GET', '/invitations', owner)).body).toEqual({
      object: 'list',
      has_more: false,
      data: [{ ...invitation, id: firstId }],
    })
    expect(await statusOf(mail.secret)).toBe(200)
    await call('DELETE', `/invitations/${firstId}`, owner)
    expect(await statusOf(mail.secret)).toBe(403)
  })

  it('are one for each address: a second replaces the first, whose link works no longer', async () => {
    const { owner } = await team('owner')
    await invite(owner, 'twice@people.example', 'viewer')
    await invite(owner, 'twice@people.example', 'admin')
    const [first, second] = [await mails.next(), await mails.next()]
    expect((await call('GET', '/invitations', owner)).body).toMatchObject({ data: [{ role: 'admin' }] })
    expect([await statusOf(first.secret), await statusOf(second.secret)]).toEqual([403, 200])
  })

  it('are refused for a member, for what is no address, and for a role that may do more', async () => {
    const { owner, admin, developer } = await team('owner', 'admin', 'developer')
    expect(await invite(owner, admin.email)).toMatchObject(
      refused('This address belongs to a member of the team already: change their role instead.', 422, 'validation_error'),
    )
    expect(await invite(owner, 'no one')).toMatchObject(
      refused('This is not an email address: enter one such as ada@example.com.', 422, 'validation_error'),
    )
    expect(await invite(admin, 'x@people.example', 'owner')).toMatchObject(mayNot('admin', 'owner'))
    expect((await invite(developer, 'x@people.example', 'viewer')).status).toBe(403)
    expect((await call('GET', '/invitations', owner)).body).toMatchObject({ data: [] })
  })

  it('are 100 at most', async () => {
    const { id, owner } = await team('owner')
    await service.database.execute(
      `insert into invitations (id, team_id, email, role, digest, invited_by, created_at, expires_at)
       select gen_random_uuid(), $1::uuid, n || '@people.example', 'viewer', $1::uuid::text || n, 'Ada', $2, $2::timestamptz + interval '7 days' from generate_series(1, 100) n`,
      [id, service.service.context.clock.now()],
    )
    expect(await invite(owner, 'one-more@people.example')).toMatchObject(
      refused('A team can have at most 100 open invitations: revoke those that are not needed.', 422, 'validation_error'),
    )
  })

  it('of another team are not found, and not listed', async () => {
    const { owner } = await team('owner')
    const theirs = await team('owner')
    const { id } = (await invite(theirs.owner, 'theirs@people.example')).body as { id: string }
    await mails.next()
    for (const one of [id, UNKNOWN_ID])
      expect(await call('DELETE', `/invitations/${one}`, owner)).toMatchObject(refused('Invitation not found', 404, 'not_found'))
    expect((await call('GET', '/invitations', owner)).body).toMatchObject({ data: [] })
    expect((await call('GET', '/invitations', theirs.owner)).body).toMatchObject({ data: [{ id }] })
  })
})

it('a key remembers the person who made it, also by another key, and a key that a key of no one made no one', async () => {
  const { id, owner } = await team('owner')
  const key = { token: await service.createKey(id) }
  const { token } = (await call('POST', '/api-keys', owner, { name: 'By a person' })).body as { token: string }
  await call('POST', '/api-keys', { token }, { name: 'By a key of a person' })
  await call('POST', '/api-keys', key, { name: 'By a key' })
  expect(
    await service.database.execute(
      `select name, person_id as "personId" from api_keys where team_id = $1 and name like 'By %' order by name`,
      [id],
    ),
  ).toEqual([
    { name: 'By a key', personId: null },
    { name: 'By a key of a person', personId: owner.id },
    { name: 'By a person', personId: owner.id },
  ])
})
