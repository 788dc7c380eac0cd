// What an operator does with teams, whether over the API or on the command line.
import { bodyHash } from '../../../http/headers.ts'
import { idempotencyConflict, invalid, notFound } from '../../../lib/failure.ts'
import { isPlainLine } from '../../../lib/text.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import type { RemovedCounts } from './team-states.ts'
import type { TeamChange, TeamRow } from './teams.repository.ts'

type Needs = { repositories: Pick<AccountsContext['repositories'], 'teams' | 'teamRemovals'> }

const found = (team: TeamRow | null): TeamRow => {
  if (!team) throw notFound('Team')
  return team
}

/** @throws Failure `validation` */
function requireName(name: string | undefined): void {
  if (name !== undefined && !isPlainLine(name))
    throw invalid('The `name` field must be one line without control characters or marks of the direction of writing.')
}

/** @param key of the request: sent again, it answers the team as it is now. @throws Failure `idempotencyConflict` */
export async function createTeam({ repositories: { teams } }: Needs, name: string, key: string | null = null): Promise<TeamRow> {
  requireName(name)
  if (key === null) return teams.create(name)
  const result = await teams.createOnce(name, { operation: 'teams.create', key, bodyHash: bodyHash({ name }) })
  if (result === 'conflict') throw idempotencyConflict()
  return 'made' in result ? result.made : found(await teams.find(result.earlierId))
}

/** @throws Failure `notFound`, as all that follow */
export const findTeam = async ({ repositories: { teams } }: Needs, id: string): Promise<TeamRow> => found(await teams.find(id))

export async function updateTeam({ repositories: { teams } }: Needs, id: string, change: TeamChange): Promise<TeamRow> {
  requireName(change.name)
  return found(await teams.update(id, change))
}

/** Nothing of the team is changed or sent until it is resumed; what was accepted stays queued. */
export const suspendTeam = async ({ repositories: { teams } }: Needs, id: string, reason: string): Promise<TeamRow> =>
  found(await teams.suspend(id, reason))

/** Ends a pause for bounces or complaints. Mail goes at a tenth of its pace for a day. */
export async function releaseTeam(
  { repositories }: Needs & { repositories: Pick<LimitsContext['repositories'], 'reputations'> },
  id: string,
): Promise<TeamRow> {
  const team = found(await repositories.teams.find(id))
  await repositories.reputations.releaseAcrossTeams(team.id)
  return found(await repositories.teams.find(id))
}

export const resumeTeam = async ({ repositories: { teams } }: Needs, id: string): Promise<TeamRow> => found(await teams.resume(id))

/**
 * Ends the credentials of a team at once, and removes all its records after some days. Says what it will remove; deleted again, it says the same.
 */
export async function deleteTeam({ repositories: { teams, teamRemovals } }: Needs, id: string): Promise<DeletedTeam> {
  const earlier = found(await teams.find(id))
  const team =
    (earlier.deletedAt ? null : await teams.deleteTeam(earlier.id, await teamRemovals.count(earlier.id))) ?? found(await teams.find(id))
  if (!team.deletedAt || !team.removes) throw new Error('A deleted team has neither its time nor its counts')
  return { ...team, deletedAt: team.deletedAt, removes: team.removes }
}

export type DeletedTeam = TeamRow & { deletedAt: Date; removes: RemovedCounts }

/** Takes a deletion back. A team that is not deleted stays as it is. */
export async function restoreTeam({ repositories: { teams } }: Needs, id: string): Promise<TeamRow> {
  const team = await teams.restore(id)
  if (team) return team
  found(await teams.find(id))
  throw invalid('The records of this team are being removed, so it can no longer be restored.')
}
