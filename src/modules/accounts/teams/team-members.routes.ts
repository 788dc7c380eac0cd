// The members of any team, for programs of the operator: how an installer brings in the first owner. Whatever it changes, the owners are told by mail.
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { invalid } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { ListQuery } from '../../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { toInvitation, toMember } from '../people/members.routes.ts'
import {
  INVITATIONS,
  InvitationCreate,
  InvitationCreated,
  InvitationDeletion,
  InvitationList,
  MEMBERS,
  MemberChanged,
  MemberDeletion,
  MemberList,
  MemberUpdate,
} from '../people/members.schema.ts'
import {
  createInvitation,
  LAST_OWNER,
  mailInvitation,
  notifyOwnersOfChange,
  personEmail,
  requireTeamThere,
} from '../people/people.service.ts'
import { TEAMS, TeamInvitationParams, TeamMemberParams, TeamParams } from './teams.schema.ts'
import { findTeam } from './teams.service.ts'

type Context = PlatformContext & AccountsContext

const operation = declareOperations(TEAMS)
const member = plainResource(MEMBERS, 'member')
const invitation = plainResource(INVITATIONS, 'invitation')
/** Who invites, in the mail and in the list. */
const OPERATOR = 'The operator'

export const teamMemberRoutes: Routes<Context> = async (app, { context }) => {
  const { persons, apiKeys, invitations } = context.repositories

  app.get(
    '/teams/:team_id/members',
    operation({
      id: 'teams.members.list',
      summary: 'List the members of a team',
      description: 'Returns the people of a team, with their roles.',
      access: 'operator',
      audit: 'never',
      params: TeamParams,
      query: ListQuery,
      reply: { 200: MemberList },
      example: { reply: member.examples.list },
    }),
    async ({ params, query }) => {
      const { id } = await findTeam(context, params.team_id)
      return toList(await persons.listMembers(id, pageRequest(query, 'always')), toMember)
    },
  )

  app.patch(
    '/teams/:team_id/members/:member_id',
    operation({
      id: 'teams.members.update',
      summary: 'Change the role of a member of a team',
      description:
        'Changes what a member may do, from their next request on. The owners are told by mail. The last owner of a team stays its owner. The members of a deleted team stay as they are (403).',
      access: 'operator',
      audit: 'always',
      params: TeamMemberParams,
      body: MemberUpdate,
      reply: { 200: MemberChanged },
      example: { body: { role: 'support' }, reply: { object: 'member', ...MEMBERS.example } },
    }),
    async ({ params, body }) => {
      const team = await findTeam(context, params.team_id)
      await requireTeamThere(context, team.id)
      const changed = member.found(await persons.changeRole(team.id, params.member_id, body.role))
      if (changed === 'lastOwner') throw invalid(LAST_OWNER)
      await notifyOwnersOfChange(context, team, `The operator made ${changed.email} ${changed.role} of the team.`)
      return { object: 'member' as const, ...toMember(changed) }
    },
  )

  app.delete(
    '/teams/:team_id/members/:member_id',
    operation({
      id: 'teams.members.delete',
      summary: 'Remove a member from a team',
      description:
        'Ends a membership at once. The owners are told by mail. The last owner of a team stays its owner. The members of a deleted team stay as they are (403).',
      access: 'operator',
      audit: 'always',
      params: TeamMemberParams,
      reply: { 200: MemberDeletion },
      example: { reply: { object: 'member', id: MEMBERS.example.id, deleted: true, api_keys: [] } },
    }),
    async ({ params }) => {
      const team = await findTeam(context, params.team_id)
      await requireTeamThere(context, team.id)
      const { id, email } = member.found(await persons.findMember(team.id, params.member_id))
      if (member.found(await persons.removeMember(team.id, id)) === 'lastOwner') throw invalid(LAST_OWNER)
      await notifyOwnersOfChange(context, team, `The operator removed ${email} from the team.`)
      return { object: 'member' as const, id, deleted: true as const, api_keys: await apiKeys.madeByPerson(team.id, id) }
    },
  )

  app.post(
    '/teams/:team_id/invitations',
    operation({
      id: 'teams.invitations.create',
      summary: 'Invite a person to a team',
      description:
        'Mails a link by which a person joins a team, once, within seven days: this is how a new team gets its first owner. An open invitation of the same address is replaced. The link of a suspended team works once the team is resumed; a deleted team invites no one (403). The owners that there are get a mail about it.',
      access: 'operator',
      audit: 'always',
      params: TeamParams,
      body: InvitationCreate,
      reply: { 201: InvitationCreated },
      example: {
        body: { email: 'grace@example.com', role: 'owner' },
        reply: { object: 'invitation', ...INVITATIONS.example, role: 'owner', invited_by: OPERATOR },
      },
    }),
    async ({ params, body }) => {
      const team = await findTeam(context, params.team_id)
      const made = await createInvitation(context, team.id, { email: personEmail(body.email), role: body.role, invitedBy: OPERATOR })
      // If it fails, so does the request: sent again, it replaces the invitation.
      await mailInvitation(context, team.id, made)
      await notifyOwnersOfChange(context, team, `The operator invited ${made.invitation.email} to the team as ${made.invitation.role}.`)
      return { object: 'invitation' as const, ...toInvitation(made.invitation) }
    },
  )

  app.get(
    '/teams/:team_id/invitations',
    operation({
      id: 'teams.invitations.list',
      summary: 'List the invitations to a team',
      description: 'Returns the open invitations of a team, newest first.',
      access: 'operator',
      audit: 'never',
      params: TeamParams,
      query: ListQuery,
      reply: { 200: InvitationList },
      example: { reply: invitation.examples.list },
    }),
    async ({ params, query }) => {
      const { id } = await findTeam(context, params.team_id)
      return toList(await invitations.list(id, pageRequest(query, 'always')), toInvitation)
    },
  )

  app.delete(
    '/teams/:team_id/invitations/:invitation_id',
    operation({
      id: 'teams.invitations.delete',
      summary: 'Revoke an invitation to a team',
      description:
        'Ends an invitation: its link stops working at once. The owners are told by mail. The invitations of a deleted team stay as they are (403): their links do not work.',
      access: 'operator',
      audit: 'always',
      params: TeamInvitationParams,
      reply: { 200: InvitationDeletion },
      example: { reply: invitation.examples.deletion },
    }),
    async ({ params }) => {
      const team = await findTeam(context, params.team_id)
      await requireTeamThere(context, team.id)
      const { id, email } = invitation.found(await invitations.find(team.id, params.invitation_id))
      const deletion = invitation.deletion(await invitations.deleteInvitation(team.id, id))
      await notifyOwnersOfChange(context, team, `The operator revoked the invitation of ${email} to the team.`)
      return deletion
    },
  )
}
