// Whose turn it is when several teams have work and not all of it fits into one batch: as with mail, the team that has waited longest is next, however
// much another one has.
import { chooseLanes, NO_TURNS } from '../../lib/engine/lanes.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import type { TeamShare, TeamsWithWork } from '../../repositories/automations/team-shares.ts'

/** `look`: which teams after this one have work. */
export function createTeamTurns(look: (after: string) => Promise<TeamsWithWork>) {
  let turns = NO_TURNS
  let after: string = LOWEST_ID

  return {
    /** Shares the places among the teams that have work. Nothing is shared out if none of those that were looked at has any. */
    async share(places: number, { except }: { except: ReadonlySet<string> } = { except: new Set() }): Promise<TeamShare[]> {
      const { teamIds, lookOnAfter } = await look(after)
      after = lookOnAfter ?? LOWEST_ID
      const lanes = teamIds
        .filter((teamId) => !except.has(teamId))
        .map((teamId) => ({ class: 'transactional', teamId, destination: '' }) as const)
      const chosen = chooseLanes(lanes, { free: places, freeForBulk: 0, at: () => Number.POSITIVE_INFINITY }, turns)
      turns = chosen.turns
      return chosen.allotments.map(({ teamId, count }) => ({ teamId, count }))
    },
  }
}
