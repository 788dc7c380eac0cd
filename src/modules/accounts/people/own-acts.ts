// What people do for themselves on pages, such as signing in: it is no operation, and stands in the audit log of each of their teams.
import { newAct, nextAct, performAct } from '../../../db/acts.ts'
import { personAt } from '../../../http/actor.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { AccountsContext } from '../accounts.context.ts'

type Needs = Pick<PlatformContext, 'clock'> & { repositories: Pick<AccountsContext['repositories'], 'persons'> }

/** Teams in whose logs one act stands, the oldest memberships first. Someone in more of them works for an agency, and each row costs the request time. */
export const TEAMS_OF_ACT_MAX = 100

export async function teamsOfPerson({ persons }: Needs['repositories'], personId: string): Promise<string[]> {
  const teams = await persons.teamsAcrossTeams(personId)
  return teams.slice(0, TEAMS_OF_ACT_MAX).map(({ teamId }) => teamId)
}

type Own = { request: Parameters<typeof personAt>[0]; name: string; person: { id: string; email: string } }

/** `name`: of the form, such as `console.sign-in`. */
export async function asOwnAct<Result>(
  { repositories, clock }: Needs,
  { request, name, person }: Own,
  work: () => Promise<Result>,
): Promise<Result> {
  const teamId = await teamsOfPerson(repositories, person.id)
  // It concerns all their teams: no record of a team is changed by it.
  const target = { type: null, id: null, table: null }
  return performAct(newAct(name, { teamId, actor: personAt(request, person), target, clock }), work)
}

const MEMBER = { type: 'member', id: null, table: 'members' }

/** What the groups of the identity provider make of someone: a row in each team that they join or leave. */
export const asGrouped = <Result>(
  { clock }: Pick<Needs, 'clock'>,
  { request, name, person }: Own,
  work: () => Promise<Result>,
): Promise<Result> =>
  performAct(newAct(name, { teamId: null, actor: personAt(request, person), target: MEMBER, clock }), work, { next: nextAct(clock) })

type Joining = { request: Parameters<typeof personAt>[0]; name: string; email: string; teamId: string }

/** Someone becomes a member of a team: who they are is known while it happens. */
export const asJoining = <Result>(
  { clock }: Pick<Needs, 'clock'>,
  { request, name, email, teamId }: Joining,
  work: () => Promise<Result>,
): Promise<Result> => performAct(newAct(name, { teamId, actor: personAt(request, { id: null, email }), target: MEMBER, clock }), work)
