import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { OPERATOR_SECTIONS } from '../../../http/sections.ts'
import {
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Name,
  Named,
  Nullable,
  OptionalNotNull,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'
import { GUARD_MODES, REPUTATION_STATUSES, STATUS_MEANINGS } from '../../limits/reputation.schema.ts'
import { COUNTED_MAX, REMOVAL_AFTER_DAYS, TEAM_STATUSES } from './team-states.ts'

export const TEAM_NAME_LENGTH_MAX = 100
export const SUSPENSION_REASON_LENGTH_MAX = 500

export const teamName = Name({
  lengthMax: TEAM_NAME_LENGTH_MAX,
  description: `Name of the team, which people see: at most ${TEAM_NAME_LENGTH_MAX} characters, at least one of them visible.`,
  examples: ['Acme'],
})
const suppressesSoftBounces = Type.Boolean({
  description: 'Whether several soft bounces in a row suppress an address of the team. The installation says how many.',
})

const guard = Enum([...GUARD_MODES], {
  description:
    'What follows from too many bounces and complaints of the team. `warn`: its owners are told. `bulk`: its bulk mail is paused too. `all`: and all its mail, at twice the marks. The setting `GUARD` of the installation comes before it.',
})

export const TeamCreate = Named('TeamCreate', Type.Object({ name: teamName }, { description: 'A team to create.' }))

export const TeamUpdate = Named(
  'TeamUpdate',
  Type.Object(
    { name: OptionalNotNull(teamName), suppresses_soft_bounces: OptionalNotNull(suppressesSoftBounces), guard: OptionalNotNull(guard) },
    { description: 'Fields of a team to change. Fields that are left out stay as they are.' },
  ),
)

export const TeamSuspension = Named(
  'TeamSuspension',
  Type.Object(
    {
      reason: Name({
        lengthMax: SUSPENSION_REASON_LENGTH_MAX,
        description: `Why the team is suspended, which its members and programs read: at most ${SUSPENSION_REASON_LENGTH_MAX} characters, at least one of them visible.`,
        examples: ['The invoice of October is not paid.'],
      }),
    },
    { description: 'The suspension of a team.' },
  ),
)

const fields = {
  id: Id('Id of the team.'),
  name: Type.String({ description: 'Name of the team.', examples: ['Acme'] }),
  status: Enum([...TEAM_STATUSES], {
    description:
      'Whether the team may act. `active`: it may. `suspended`: it can only read, and nothing is sent. `deleted`: its credentials do not work, and it can be restored until `removal_at`.',
  }),
  suspended_at: Nullable(Timestamp('When the team was suspended; null if it is not.')),
  suspended_reason: Nullable(Type.String({ description: 'Why the team is suspended; null if it is not.' })),
  deleted_at: Nullable(Timestamp('When the team was deleted; null if it is not.')),
  removal_at: Nullable(
    Timestamp(`When the removal of all its records begins: ${REMOVAL_AFTER_DAYS} days after the deletion. Null if it is not deleted.`),
  ),
  suppresses_soft_bounces: suppressesSoftBounces,
  guard,
  reputation: Enum([...REPUTATION_STATUSES], {
    description: `How the team stands for its bounces and complaints. ${STATUS_MEANINGS}`,
  }),
  reputation_since: Nullable(Timestamp('When this status began; null if it never changed.')),
  reputation_reason: Nullable(Type.String({ description: 'Why mail is paused, or what the warning is about; null if it is good.' })),
  created_at: Timestamp('When the team was created.'),
}

export const TeamSummary = Named('TeamSummary', Type.Object(fields, { description: 'A team, as lists show it.' }))
export const Team = Named('Team', Type.Object({ object: Kind('team'), ...fields }, { description: 'A team of the installation.' }))

const count = (what: string) => Type.Integer({ description: `${what}, counted up to ${COUNTED_MAX.toLocaleString('en')}.` })

export const TeamDeletion = Named(
  'TeamDeletion',
  Type.Object(
    {
      object: Kind('team'),
      id: fields.id,
      deleted: Type.Literal(true, { description: 'Always `true`.' }),
      deleted_at: Timestamp('When the team was deleted.'),
      removal_at: Timestamp('When the removal of its records begins. Until then it can be restored.'),
      removes: Type.Object(
        {
          api_keys: count('API keys'),
          domains: count('Domains'),
          emails: count('Emails'),
          recipients_waiting: count('Recipients of accepted emails that were not delivered yet. They get nothing more'),
          received_emails: count('Received emails'),
          contacts: count('Contacts'),
          suppressions: count('Suppressions'),
          broadcasts: count('Broadcasts'),
          templates: count('Templates'),
          automations: count('Automations'),
          webhooks: count('Webhooks'),
        },
        { description: 'What the team had when it was deleted, all of which is removed.' },
      ),
    },
    { description: 'What the deletion of a team removes, and when.' },
  ),
)

export const TEAMS = Resource({
  tag: OPERATOR_SECTIONS.teams,
  noun: 'Team',
  parameter: 'team_id',
  item: TeamSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c61',
    name: 'Acme',
    status: 'active',
    suspended_at: null,
    suspended_reason: null,
    deleted_at: null,
    removal_at: null,
    suppresses_soft_bounces: true,
    guard: 'all',
    reputation: 'good',
    reputation_since: null,
    reputation_reason: null,
    created_at: EXAMPLE_TIME,
  },
})

export const TeamParams = IdParams(TEAMS)
export const TeamList = List('TeamList', 'teams', TeamSummary)

const memberId = Id('Id of the person.')
export const TeamMemberParams = Type.Object({ ...TeamParams.properties, member_id: memberId })
export const TeamInvitationParams = Type.Object({ ...TeamParams.properties, invitation_id: Id('Id of the invitation.') })
