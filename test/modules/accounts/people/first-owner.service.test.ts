// OWNER_EMAIL: without it, an installation whose first start no one watches has no one who can sign in.
import { expect, it } from 'vitest'
import { ensureFirstOwner } from '../../../../src/modules/accounts/people/people.service.ts'
import { visit } from '../../../support/clients/console.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { OWNER_EMAIL: 'Ada@People.example' } }))

const ADVICE = 'console link</code>'

it('is what the page where people sign in asks the operator for, until there is one', async () => {
  expect((await visit(service, 'GET', '/console/sign-in')).text).toContain(ADVICE)
  const { persons } = service.service.context.repositories
  const { id } = await persons.ensureAcrossTeams('first@people.example', 'First')
  await persons.addMember(service.other.teamId, id, 'owner')
  expect((await visit(service, 'GET', '/console/sign-in')).text).not.toContain(ADVICE)
  await service.database.execute('delete from members')
})

it('makes the person of OWNER_EMAIL the owner of the first team, once, also if processes start together', async () => {
  const { context } = service.service
  const { persons, teams } = context.repositories
  const first = await teams.firstAcrossTeams()
  const made = await Promise.all(Array.from({ length: 4 }, () => ensureFirstOwner(context)))
  expect(made.filter((person) => person !== null)).toEqual([expect.objectContaining({ email: 'ada@people.example', name: 'ada' })])
  const [owner, ...others] = await persons.ownersOf(first?.id ?? '')
  expect([owner?.email, others]).toEqual(['ada@people.example', []])
  expect(await persons.ownersOf(service.other.teamId)).toEqual([])
  expect(
    await service.database.execute(
      'select actor_kind as kind, actor_name as name, act, target_id as target, details from audit_log where team_id = $1',
      [first?.id],
    ),
  ).toEqual([{ kind: 'system', name: 'OWNER_EMAIL', act: 'start.owner-email', target: owner?.id, details: { after: { role: 'owner' } } }])

  // Someone whom they made an owner stays one, and they do not come back.
  const next = await persons.ensureAcrossTeams('next@people.example', 'Next')
  await persons.addMember(first?.id ?? '', next.id, 'owner')
  expect(await persons.removeMember(first?.id ?? '', owner?.id ?? '')).toBe('removed')
  expect(await ensureFirstOwner(context)).toBeNull()
  expect((await persons.ownersOf(first?.id ?? '')).map(({ email }) => email)).toEqual(['next@people.example'])
})

it('changes nothing without the setting', async () => {
  const { context } = service.service
  expect(await ensureFirstOwner({ ...context, config: { ...context.config, ownerEmail: null } })).toBeNull()
})
