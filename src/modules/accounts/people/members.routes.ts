// Who belongs to a team, and who is invited. People change that, and the operator of the installation; a key is for programs.
import { type Caller, declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import type { MemberRole } from '../../../lib/member-roles.ts'
import { WholeListQuery } from '../../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { requireConfirmation } from '../sessions/confirmation.ts'
import type { InvitationRow } from './invitations.repository.ts'
import {
  INVITATIONS,
  InvitationCreate,
  InvitationCreated,
  InvitationDeletion,
  InvitationList,
  InvitationParams,
  MEMBERS,
  MemberChanged,
  MemberDeletion,
  MemberList,
  MemberParams,
  MemberUpdate,
} from './members.schema.ts'
import { createInvitation, LAST_OWNER, mailInvitation, personEmail } from './people.service.ts'
import type { MemberRow } from './persons.repository.ts'
import { mayGive } from './roles.ts'

type Context = PlatformContext & AccountsContext

export const toMember = ({ createdAt, ...row }: MemberRow) => ({ ...row, created_at: toTimestamp(createdAt) })

export const toInvitation = ({ invitedBy, createdAt, expiresAt, ...row }: InvitationRow) => ({
  ...row,
  invited_by: invitedBy,
  created_at: toTimestamp(createdAt),
  expires_at: toTimestamp(expiresAt),
})

const operation = declareOperations(MEMBERS)
const invitationOperation = declareOperations(INVITATIONS)
const member = plainResource(MEMBERS, 'member')
const invitation = plainResource(INVITATIONS, 'invitation')

export const memberRoutes: Routes<Context> = async (app, { context }) => {
  const { persons, apiKeys } = context.repositories

  app.get(
    '/members',
    operation({
      id: 'members.list',
      summary: 'List members',
      description:
        'Returns the people of the team, newest first. Without `limit`, `after` or `before`, it returns all of them, up to 1,000.',
      access: 'full',
      audit: 'never',
      query: WholeListQuery,
      reply: { 200: MemberList },
      example: { reply: member.examples.list },
    }),
    member.list(persons.listMembers, toMember, 'optional'),
  )

  app.patch(
    '/members/:member_id',
    operation({
      id: 'members.update',
      confirms: 'when someone becomes an owner, or no longer is one',
      summary: 'Change a role',
      description:
        'Changes what a member may do, from their next request on. A person can give, change and remove only roles that may do no more than their own, and not change their own role. The last owner of a team stays its owner.',
      access: 'full',
      byPeople: true,
      audit: 'always',
      params: MemberParams,
      body: MemberUpdate,
      reply: { 200: MemberChanged },
      example: { body: { role: 'support' }, reply: { object: 'member', ...MEMBERS.example } },
    }),
    async ({ teamId, caller, params, body }) => {
      const giver = await personOf(context, caller)
      const current = member.found(await persons.findMember(teamId, params.member_id))
      if (current.id === giver.id) throw new Failure('invalidPermission', 'You cannot change your own role. Ask another owner or admin.')
      requireGiving(giver.role, current.role)
      requireGiving(giver.role, body.role)
      if ([current.role, body.role].includes('owner')) requireConfirmation(caller, context)
      const changed = await persons.changeRole(teamId, current.id, body.role)
      if (changed === 'lastOwner') throw invalid(LAST_OWNER)
      return { object: 'member' as const, ...toMember(member.found(changed)) }
    },
  )

  app.delete(
    '/members/:member_id',
    operation({
      id: 'members.delete',
      confirms: 'when it is an owner',
      summary: 'Remove a member',
      description:
        'Ends a membership at once: sessions, access of the command line and programs that the person allowed stop working in this team. The API keys that they made stay and are named in the answer. Removing oneself is leaving. The last owner stays.',
      access: 'full',
      byPeople: true,
      audit: 'always',
      params: MemberParams,
      reply: { 200: MemberDeletion },
      example: { reply: { object: 'member', id: MEMBERS.example.id, deleted: true, api_keys: [] } },
    }),
    async ({ teamId, caller, params }) => {
      const giver = await personOf(context, caller)
      const current = member.found(await persons.findMember(teamId, params.member_id))
      if (current.id !== giver.id) requireGiving(giver.role, current.role)
      if (current.role === 'owner') requireConfirmation(caller, context)
      const removed = member.found(await persons.removeMember(teamId, current.id))
      if (removed === 'lastOwner') throw invalid(LAST_OWNER)
      return { object: 'member' as const, id: current.id, deleted: true as const, api_keys: await apiKeys.madeByPerson(teamId, current.id) }
    },
  )
}

export const invitationRoutes: Routes<Context> = async (app, { context }) => {
  const { invitations } = context.repositories

  app.post(
    '/invitations',
    invitationOperation({
      id: 'invitations.create',
      confirms: 'when the role is `owner`',
      summary: 'Invite a person',
      description:
        'Mails a link by which a person joins the team, once, within seven days. An open invitation of the same address is replaced. The role may do no more than that of the person who invites.',
      access: 'full',
      byPeople: true,
      audit: 'always',
      body: InvitationCreate,
      reply: { 201: InvitationCreated },
      example: { body: { email: 'grace@example.com', role: 'support' }, reply: { object: 'invitation', ...INVITATIONS.example } },
    }),
    async ({ teamId, caller, body, ip: clientAddress }) => {
      const giver = await personOf(context, caller)
      requireGiving(giver.role, body.role)
      if (body.role === 'owner') requireConfirmation(caller, context)
      const made = await createInvitation(context, teamId, { email: personEmail(body.email), role: body.role, invitedBy: giver.name })
      await mailInvitation(context, teamId, { ...made, clientAddress })
      return { object: 'invitation' as const, ...toInvitation(made.invitation) }
    },
  )

  app.get(
    '/invitations',
    invitationOperation({
      id: 'invitations.list',
      summary: 'List invitations',
      description: 'Returns the open invitations of the team, newest first.',
      access: 'full',
      audit: 'never',
      query: WholeListQuery,
      reply: { 200: InvitationList },
      example: { reply: invitation.examples.list },
    }),
    invitation.list(invitations.list, toInvitation, 'optional'),
  )

  app.delete(
    '/invitations/:invitation_id',
    invitationOperation({
      id: 'invitations.delete',
      summary: 'Revoke an invitation',
      description: 'Ends an invitation: its link stops working at once.',
      access: 'full',
      byPeople: true,
      audit: 'always',
      params: InvitationParams,
      reply: { 200: InvitationDeletion },
      example: { reply: invitation.examples.deletion },
    }),
    async ({ teamId, params }) => invitation.deletion(await invitations.deleteInvitation(teamId, params.invitation_id)),
  )
}

/** The person who gives, changes or takes a role. @throws Failure `invalidPermission` for someone who has left meanwhile */
async function personOf(
  { repositories: { persons } }: Pick<Context, 'repositories'>,
  { teamId, person, grant }: Caller,
): Promise<{ id: string; name: string; role: MemberRole }> {
  const found = await persons.findMember(teamId, person?.id ?? grant?.personId ?? '')
  if (!found) throw new Failure('invalidPermission', 'You are not a member of this team anymore.')
  return found
}

function requireGiving(giver: MemberRole, role: MemberRole): void {
  if (!mayGive(giver, role))
    throw new Failure('invalidPermission', `Your role in this team (${giver}) may not give, change or remove the role ${role}.`)
}
