import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import { MEMBER_ROLES } from '../../../lib/member-roles.ts'
import { Deletion, Enum, EXAMPLE_TIME, Id, Kind, List, Named, Timestamp } from '../../../lib/validation/common.schema.ts'

const role = Enum([...MEMBER_ROLES], {
  description:
    'What the person may do in the team: `owner` everything; `admin` everything but changing owners; `developer` everything but changing members and reading the audit log; `marketer` the audience, templates, broadcasts and automations; `support` reads mail, contacts and suppressions, resends, unsubscribes and takes addresses off the suppression list; `viewer` numbers without personal data.',
})
const email = Type.String({ description: 'Email address of the person, in lower case.', examples: ['ada@example.com'] })

const memberFields = {
  id: Id('Id of the person. It is the same in each of their teams.'),
  email,
  name: Type.String({ description: 'Name of the person.', examples: ['Ada Lovelace'] }),
  role,
  created_at: Timestamp('When the person joined the team.'),
}
const member = {
  ...{ id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c21', email: 'ada@example.com', name: 'Ada Lovelace', role: 'support' as const },
  created_at: EXAMPLE_TIME,
}

export const Member = Named('Member', Type.Object(memberFields, { description: 'A person in a team.' }))
export const MemberUpdate = Named('MemberUpdate', Type.Object({ role }, { description: 'Another role for a member.' }))
export const MEMBERS = Resource({ tag: SECTIONS.members, noun: 'Member', parameter: 'member_id', item: Member, example: member })

export const MemberParams = IdParams(MEMBERS)
export const MemberList = List('MemberList', 'members', Member)
export const MemberChanged = Named(
  'MemberChanged',
  Type.Object({ object: Kind('member'), ...memberFields }, { description: 'A member as they are now.' }),
)
export const MemberDeletion = Named(
  'MemberDeletion',
  Type.Object(
    {
      object: Kind('member'),
      id: memberFields.id,
      deleted: Type.Literal(true, { description: 'Always true.' }),
      api_keys: Type.Array(
        Type.Object({ id: Id('Id of the API key.'), name: Type.String({ description: 'Name of the key.', examples: ['Production'] }) }),
        {
          description: 'API keys that the person made. They belong to the team and keep working; delete those that only this person used.',
        },
      ),
    },
    { description: 'A member who was removed.' },
  ),
)

const invitationFields = {
  id: Id('Id of the invitation.'),
  email,
  role,
  invited_by: Type.String({ description: 'Who invited.', examples: ['Ada Lovelace'] }),
  created_at: Timestamp('When the invitation was made.'),
  expires_at: Timestamp('When it ends, seven days later.'),
}
export const Invitation = Named('Invitation', Type.Object(invitationFields, { description: 'An invitation that was not accepted yet.' }))
export const InvitationCreate = Named(
  'InvitationCreate',
  Type.Object(
    {
      email: Type.String({ maxLength: 254, description: 'Whom to invite. A link is mailed there.', examples: ['grace@example.com'] }),
      role,
    },
    { description: 'Someone to invite.' },
  ),
)
const invitation = {
  ...{ id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c22', email: 'grace@example.com', role: 'support' as const, invited_by: 'Ada Lovelace' },
  ...{ created_at: EXAMPLE_TIME, expires_at: EXAMPLE_TIME },
}
export const INVITATIONS = Resource({
  tag: SECTIONS.members,
  noun: 'Invitation',
  parameter: 'invitation_id',
  item: Invitation,
  example: invitation,
})
export const InvitationParams = IdParams(INVITATIONS)
export const InvitationList = List('InvitationList', 'invitations', Invitation)
export const InvitationCreated = Named(
  'InvitationCreated',
  Type.Object({ object: Kind('invitation'), ...invitationFields }, { description: 'An invitation, whose link is on its way by mail.' }),
)
export const InvitationDeletion = Deletion('InvitationDeletion', 'invitation')
