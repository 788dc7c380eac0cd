// The limits of teams, for programs of the operator.
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import { NO_LIMITS, type TeamLimits } from '../../limits/limits.schema.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { TeamLimitsAnswer, TeamLimitsUpdate } from './team-limits.schema.ts'
import { setTeamLimits } from './team-limits.service.ts'
import { TEAMS, TeamParams } from './teams.schema.ts'
import { findTeam } from './teams.service.ts'

type Context = PlatformContext & LimitsContext & AccountsContext

const operation = declareOperations(TEAMS)
const toAnswer = (limits: TeamLimits) => ({ object: 'team_limits' as const, ...limits })
const example = toAnswer({ ...NO_LIMITS, emails_per_day: 1_000, domains: 3 })

export const teamLimitRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/teams/:team_id/limits',
    operation({
      id: 'teams.limits.retrieve',
      summary: 'Retrieve the limits of a team',
      description: 'Returns how much a team may have and send. The team sees its limits in `GET /usage`.',
      access: 'operator',
      audit: 'never',
      params: TeamParams,
      reply: { 200: TeamLimitsAnswer },
      example: { reply: example },
    }),
    async ({ params }) => {
      const { id } = await findTeam(context, params.team_id)
      return toAnswer(await context.repositories.teamLimits.find(id))
    },
  )

  app.patch(
    '/teams/:team_id/limits',
    operation({
      id: 'teams.limits.update',
      summary: 'Change the limits of a team',
      description: 'Changes how much a team may have and send. It applies within 5 seconds. What the team has stays.',
      access: 'operator',
      audit: 'always',
      params: TeamParams,
      body: TeamLimitsUpdate,
      reply: { 200: TeamLimitsAnswer },
      example: { body: { emails_per_day: 1_000, domains: 3 }, reply: example },
    }),
    async ({ params, body }) => toAnswer(await setTeamLimits(context, params.team_id, body)),
  )
}
