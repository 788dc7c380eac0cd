// A team as its own members and programs see it: its name, its color, where its mail arrives.
import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { TEAM, TeamSettings, TeamSettingsUpdate } from './team-settings.schema.ts'
import type { TeamRow } from './teams.repository.ts'
import { findTeam, updateTeam } from './teams.service.ts'

type Context = PlatformContext & DomainsContext & AccountsContext

const toTeamSettings = (
  { id, name, color, createdAt }: TeamRow,
  { receivingDomains }: { receivingDomains: string[] },
): Static<typeof TeamSettings> => ({
  ...{ object: 'team', id, name, color, receiving_domains: receivingDomains, created_at: toTimestamp(createdAt) },
})

const operation = declareOperations(TEAM)

export const teamSettingsRoutes: Routes<Context> = async (app, { context }) => {
  const { domains } = context.repositories

  /** Without any domain of its own, a team receives mail at a name of the installation's. */
  const ownNameOf = ({ id }: TeamRow): string[] => (context.config.inboundDomain === null ? [] : [`${id}.${context.config.inboundDomain}`])
  const shown = async (team: TeamRow): Promise<Static<typeof TeamSettings>> =>
    toTeamSettings(team, { receivingDomains: [...(await domains.receivingNames(team.id)), ...ownNameOf(team)] })

  app.get(
    '/team',
    operation({
      id: 'team.retrieve',
      summary: 'Retrieve the team',
      description: 'Returns the team that the request is for.',
      access: 'full',
      audit: 'never',
      reply: { 200: TeamSettings },
      example: { reply: TEAM.example },
    }),
    async ({ teamId }) => shown(await findTeam(context, teamId)),
  )

  app.patch(
    '/team',
    operation({
      id: 'team.update',
      summary: 'Update the team',
      description:
        'Changes how the team shows itself to those who get its mail: its name and its color. Its public pages show it at once, and mail that is made within some seconds may still have what was before.',
      access: 'full',
      audit: 'always',
      body: TeamSettingsUpdate,
      reply: { 200: TeamSettings },
      example: { body: { name: 'Acme Ltd', color: '#1d4fc4' }, reply: { ...TEAM.example, name: 'Acme Ltd' } },
    }),
    async ({ teamId, body: { name, color } }) =>
      shown(
        await updateTeam(context, teamId, {
          ...(name !== undefined && { name }),
          ...(color !== undefined && { color: color && color.toLowerCase() }),
        }),
      ),
  )
}
