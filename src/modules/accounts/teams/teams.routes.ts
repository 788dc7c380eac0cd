// The teams of an installation, for programs of its operator.
import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { ListQuery } from '../../../lib/validation/common.schema.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { REMOVAL_AFTER_DAYS, removalAt, teamStatus } from './team-states.ts'
import type { TeamRow } from './teams.repository.ts'
import {
  TEAMS,
  Team,
  TeamCreate,
  TeamDeletion,
  TeamList,
  TeamParams,
  type TeamSummary,
  TeamSuspension,
  TeamUpdate,
} from './teams.schema.ts'
import { createTeam, deleteTeam, findTeam, releaseTeam, restoreTeam, resumeTeam, suspendTeam, updateTeam } from './teams.service.ts'

type Context = PlatformContext & LimitsContext & AccountsContext

export const toTeamSummary = (row: TeamRow): Static<typeof TeamSummary> => ({
  id: row.id,
  name: row.name,
  status: teamStatus(row),
  suspended_at: toTimestamp(row.suspendedAt),
  suspended_reason: row.suspendedReason,
  deleted_at: toTimestamp(row.deletedAt),
  removal_at: toTimestamp(row.deletedAt && removalAt(row.deletedAt)),
  suppresses_soft_bounces: row.suppressesSoftBounces,
  guard: row.guard,
  reputation: row.reputation?.status ?? 'good',
  reputation_since: toTimestamp(row.reputation?.since ?? null),
  reputation_reason: row.reputation?.reason ?? null,
  created_at: toTimestamp(row.createdAt),
})

const toTeam = (row: TeamRow): Static<typeof Team> => ({ object: 'team', ...toTeamSummary(row) })

const operation = declareOperations(TEAMS)
const example = { object: 'team' as const, ...TEAMS.example }

export const teamRoutes: Routes<Context> = async (app, { context }) => {
  app.post(
    '/teams',
    operation({
      id: 'teams.create',
      summary: 'Create a team',
      description:
        'Creates a team. It has no member and no API key yet. A request that is sent again with its `Idempotency-Key` answers the same team.',
      access: 'operator',
      audit: 'always',
      isIdempotent: true,
      body: TeamCreate,
      reply: { 201: Team },
      example: { body: { name: 'Acme' }, reply: example },
    }),
    async ({ body, idempotencyKey }) => toTeam(await createTeam(context, body.name, idempotencyKey)),
  )

  app.get(
    '/teams',
    operation({
      id: 'teams.list',
      summary: 'List teams',
      description: 'Returns the teams of the installation, newest first, also those that are suspended or deleted.',
      access: 'operator',
      audit: 'never',
      query: ListQuery,
      reply: { 200: TeamList },
      example: { reply: { object: 'list', has_more: false, data: [TEAMS.example] } },
    }),
    async ({ query }) => toList(await context.repositories.teams.listAcrossTeams(pageRequest(query, 'always')), toTeamSummary),
  )

  app.get(
    '/teams/:team_id',
    operation({
      id: 'teams.retrieve',
      summary: 'Retrieve a team',
      description: 'Returns a team. A deleted one is there until all its records are removed.',
      access: 'operator',
      audit: 'never',
      params: TeamParams,
      reply: { 200: Team },
      example: { reply: example },
    }),
    async ({ params }) => toTeam(await findTeam(context, params.team_id)),
  )

  app.patch(
    '/teams/:team_id',
    operation({
      id: 'teams.update',
      summary: 'Update a team',
      description:
        'Changes the name of a team, whether soft bounces suppress its addresses, or what follows from its bounces and complaints.',
      access: 'operator',
      audit: 'always',
      params: TeamParams,
      body: TeamUpdate,
      reply: { 200: Team },
      example: { body: { name: 'Acme Ltd' }, reply: { ...example, name: 'Acme Ltd' } },
    }),
    async ({ params, body: { name, guard, suppresses_soft_bounces: suppressesSoftBounces } }) =>
      toTeam(
        await updateTeam(context, params.team_id, {
          ...(name !== undefined && { name }),
          ...(suppressesSoftBounces !== undefined && { suppressesSoftBounces }),
          ...(guard !== undefined && { guard }),
        }),
      ),
  )

  app.post(
    '/teams/:team_id/suspend',
    operation({
      id: 'teams.suspend',
      summary: 'Suspend a team',
      description:
        'Stops a team within a second: it can read, but every change is refused with 403 `invalid_access` and the reason. Nothing is sent, and all that was accepted stays queued. Mail to its domains is refused for now. Unsubscribe pages, tracked links and DKIM keep working. Suspending it again changes the reason.',
      access: 'operator',
      audit: 'always',
      params: TeamParams,
      body: TeamSuspension,
      reply: { 200: Team },
      example: {
        body: { reason: 'The invoice of October is not paid.' },
        reply: {
          ...example,
          status: 'suspended',
          suspended_at: example.created_at,
          suspended_reason: 'The invoice of October is not paid.',
        },
      },
    }),
    async ({ params, body }) => toTeam(await suspendTeam(context, params.team_id, body.reason)),
  )

  app.post(
    '/teams/:team_id/resume',
    operation({
      id: 'teams.resume',
      summary: 'Resume a suspended team',
      description: 'Ends the suspension of a team. What is queued is sent from then on. A team that is not suspended stays as it is.',
      access: 'operator',
      audit: 'always',
      params: TeamParams,
      reply: { 200: Team },
      example: { reply: example },
    }),
    async ({ params }) => {
      const team = await resumeTeam(context, params.team_id)
      context.wakeWorkers()
      return toTeam(team)
    },
  )

  app.post(
    '/teams/:team_id/release',
    operation({
      id: 'teams.release',
      summary: 'Release the mail of a team',
      description:
        'Ends a pause for bounces or complaints before its time: what is queued is sent from then on, at a tenth of its pace for a day, and what happened before does not count anymore. A team of which nothing is paused stays as it is.',
      access: 'operator',
      audit: 'always',
      params: TeamParams,
      reply: { 200: Team },
      example: { reply: { ...example, reputation_since: example.created_at } },
    }),
    async ({ params }) => {
      const team = await releaseTeam(context, params.team_id)
      context.wakeWorkers()
      return toTeam(team)
    },
  )

  app.delete(
    '/teams/:team_id',
    operation({
      id: 'teams.delete',
      summary: 'Delete a team',
      description: `Deletes a team: its keys, sessions and grants stop at once, nothing is sent, and after ${REMOVAL_AFTER_DAYS} days a worker removes all its records. Says what that will be. Deleting it again changes nothing and says the same. Until then, unsubscribe pages, tracked links and DKIM keep working; unsubscribe links work after that too.`,
      access: 'operator',
      audit: 'always',
      params: TeamParams,
      reply: { 200: TeamDeletion },
      example: {
        reply: {
          object: 'team',
          id: example.id,
          deleted: true,
          deleted_at: example.created_at,
          removal_at: '2026-11-27 09:30:00.123000+00',
          removes: {
            ...{ api_keys: 2, domains: 1, emails: 48_210, recipients_waiting: 12, received_emails: 310, contacts: 9_120, suppressions: 41 },
            ...{ broadcasts: 17, templates: 4, automations: 2, webhooks: 1 },
          },
        },
      },
    }),
    async ({ params }) => {
      const { id, deletedAt, removes } = await deleteTeam(context, params.team_id)
      return {
        object: 'team' as const,
        id,
        deleted: true as const,
        deleted_at: toTimestamp(deletedAt),
        removal_at: toTimestamp(removalAt(deletedAt)),
        removes,
      }
    },
  )

  app.post(
    '/teams/:team_id/restore',
    operation({
      id: 'teams.restore',
      summary: 'Restore a deleted team',
      description:
        'Takes the deletion of a team back, as long as the removal of its records has not begun: its credentials work again, and what is queued is sent. A team that was suspended before stays suspended.',
      access: 'operator',
      audit: 'always',
      params: TeamParams,
      reply: { 200: Team },
      example: { reply: example },
    }),
    async ({ params }) => {
      const team = await restoreTeam(context, params.team_id)
      context.wakeWorkers()
      return toTeam(team)
    },
  )
}
