// Sets limits of a team, whether over the API or on the command line.
import { notFound } from '../../../lib/failure.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import { LIMIT_NAMES, type TeamLimits } from '../../limits/limits.schema.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { findTeam } from './teams.service.ts'

type Needs = {
  repositories: Pick<AccountsContext['repositories'], 'teams' | 'teamRemovals'> &
    Pick<LimitsContext['repositories'], 'teamLimits' | 'teamStorage'>
}

/** Absent limits stay. @throws Failure `notFound` */
export async function setTeamLimits({ repositories }: Needs, teamId: string, change: Partial<TeamLimits>): Promise<TeamLimits> {
  const { id } = await findTeam({ repositories }, teamId)
  const given = Object.fromEntries(LIMIT_NAMES.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]])))
  if (Object.keys(given).length === 0) return repositories.teamLimits.find(id)
  const limits = await repositories.teamLimits.setAcrossTeams(id, given)
  if (!limits) throw notFound('Team')
  // After the commit from which on changes are written, so that no file is missed.
  if (given.stored_bytes != null) await repositories.teamStorage.countAgain([id])
  return limits
}
