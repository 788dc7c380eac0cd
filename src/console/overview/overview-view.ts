// What the overview shows of a team.
import type { Context } from '../../context.ts'
import { createId } from '../../lib/ids.ts'
import type { TeamBeginnings } from '../../modules/console/overview/attention.repository.ts'
import { OVERVIEW_DAYS } from '../../modules/console/overview/overview.schema.ts'
import { type FirstEmail, overviewReader, type TeamOverview } from '../../modules/console/overview/team-overview.service.ts'
import { WARNING_PERCENTS } from '../../modules/limits/limits.schema.ts'
import type { FormProblem } from '../shell/form-problem.ts'

export { FIRST_EMAIL, OVERVIEW_METRICS } from '../../modules/console/overview/team-overview.service.ts'

export type OverviewState = TeamOverview

export type OverviewView = OverviewState & {
  teamName: string
  beginnings: TeamBeginnings
  /** What a first request needs. */
  first: FirstEmail & { publicUrl: string; formId: string }
  /** Why the first email was not sent. */
  problem: FormProblem | null
}

export function overviewViews(context: Context) {
  const { repositories, clock, publicUrl } = context
  const reader = overviewReader(context)

  /** Leaves out limits of which little is used. */
  async function state(teamId: string): Promise<OverviewState> {
    const overview = await reader.read(teamId)
    const quotas = overview.quotas.filter(({ used, limit }) => limit > 0 && used * 100 >= limit * WARNING_PERCENTS[0])
    return { ...overview, quotas, days: overview.days.slice(-OVERVIEW_DAYS) }
  }

  return {
    state,

    async overview(teamId: string): Promise<OverviewView> {
      const [team, beginnings, known] = await Promise.all([
        repositories.teams.find(teamId),
        repositories.attention.beginnings(teamId),
        state(teamId),
      ])
      const first = { ...reader.firstEmail(beginnings), publicUrl, formId: createId(clock) }
      return { ...known, teamName: team?.name ?? '', beginnings, first, problem: null }
    },
  }
}
