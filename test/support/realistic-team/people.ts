// Who works in the shop, whom they invited, and what they keep at hand.
import { signInPerson } from '../clients/people.ts'
import { at } from './past.ts'
import { act, ago, DAYS, OWNER, STAFF, type Team } from './team.ts'
import { SHOP } from './words.ts'

export async function fillPeople(team: Team): Promise<void> {
  const { service, ids } = team
  for (const { name, email, role, daysAgo } of STAFF)
    ids[name] = (await at(ago(team, { days: daysAgo }), () => signInPerson(service, name, { email, roles: { [service.teamId]: role } }))).id
  await act(team, ['PATCH', '/team'], { time: ago(team, { days: DAYS - 0.1 }), by: OWNER, body: { name: SHOP.name, color: '#3f6b57' } })
  await service.service.context.repositories.persons.addMember(service.other.teamId, ids[OWNER] ?? '', 'owner')
  await service.database.execute('update teams set name = $2 where id = $1', [service.other.teamId, 'Pine Wholesale'])
}

export async function inviteOthers(team: Team): Promise<void> {
  const invite = (email: string, role: string, hours: number) =>
    act(team, ['POST', '/invitations'], { time: ago(team, { hours }), by: OWNER, body: { email, role } })
  await invite('marguerite.delacroix-beaumont@agence-lumiere.example', 'marketer', 50)
  await invite('ben@larkspur.example', 'developer', 3)
}

const VIEWS = [
  ['Bounced this month', 'emails', 'status=bounced'],
  ['Sign-in links that were not opened', 'emails', 'subject=sign%20in&status=delivered'],
  ['Errors of the shop', 'logs', 'status=4xx'],
] as const

export async function saveViews(team: Team): Promise<void> {
  for (const [name, page, query] of VIEWS)
    await act(team, ['POST', '/saved-views'], { time: ago(team, { days: 4 }), by: OWNER, body: { name, page, query } })
}
