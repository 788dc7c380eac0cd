// A team as its own members and programs see it: its name, its color, its logo, where its mail arrives.
import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import { imagePath } from '../../images/image-addresses.ts'
import type { ImagesContext } from '../../images/images.context.ts'
import type { ImageRow } from '../../images/images.repository.ts'
import { IMAGES } from '../../images/images.schema.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { TEAM, TeamSettings, TeamSettingsUpdate } from './team-settings.schema.ts'
import type { TeamRow } from './teams.repository.ts'
import { findTeam, updateTeam } from './teams.service.ts'

type Context = PlatformContext & ImagesContext & DomainsContext & AccountsContext

type Surroundings = { logo: ImageRow | null; receivingDomains: string[]; publicUrl: string }

const toTeamSettings = (
  { id, name, color, createdAt }: TeamRow,
  { logo, receivingDomains, publicUrl }: Surroundings,
): Static<typeof TeamSettings> => ({
  ...{ object: 'team', id, name, color, logo_id: logo?.id ?? null },
  logo_url: logo === null || logo.takenDownAt !== null ? null : `${publicUrl}${imagePath(logo)}`,
  ...{ receiving_domains: receivingDomains, created_at: toTimestamp(createdAt) },
})

const operation = declareOperations(TEAM)

export const teamSettingsRoutes: Routes<Context> = async (app, { context }) => {
  const { domains, images } = context.repositories

  /** Without any domain of its own, a team receives mail at a name of the installation's. */
  const ownNameOf = ({ id }: TeamRow): string[] => (context.config.inboundDomain === null ? [] : [`${id}.${context.config.inboundDomain}`])

  async function shown(team: TeamRow): Promise<Static<typeof TeamSettings>> {
    const [logo, receivingNames] = await Promise.all([
      team.logoId === null ? null : images.find(team.id, team.logoId),
      domains.receivingNames(team.id),
    ])
    return toTeamSettings(team, { logo, receivingDomains: [...receivingNames, ...ownNameOf(team)], publicUrl: context.publicUrl })
  }

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
        'Changes how the team shows itself to those who get its mail: its name, its color and its logo. Its public pages and the mail that is made from then on show it within ten seconds.',
      access: 'full',
      audit: 'always',
      names: IMAGES.noun,
      body: TeamSettingsUpdate,
      reply: { 200: TeamSettings },
      example: { body: { name: 'Acme Ltd', color: '#1d4fc4' }, reply: { ...TEAM.example, name: 'Acme Ltd' } },
    }),
    async ({ teamId, body: { name, color, logo_id: logoId } }) => {
      if (logoId && !(await images.find(teamId, logoId))) throw notFound(IMAGES.noun)
      const change = {
        ...(name !== undefined && { name }),
        ...(color !== undefined && { color: color?.toLowerCase() ?? null }),
        ...(logoId !== undefined && { logoId: logoId?.toLowerCase() ?? null }),
      }
      return shown(await updateTeam(context, teamId, change))
    },
  )
}
