import { Type } from '@sinclair/typebox'
import { DELIVERY_MODES } from '../../../config/sending.ts'
import { IdParams, Resource } from '../../../http/resource.ts'
import { PERSON_SECTIONS } from '../../../http/sections.ts'
import { MEMBER_ROLES } from '../../../lib/member-roles.ts'
import {
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Name,
  Named,
  Nullable,
  Ref,
  secret,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'
import { PERSON_METHODS } from '../sessions/sessions.repository.ts'
import { NAME_LENGTH_MAX } from './people.service.ts'

const personId = Id('Id of the person. It is the same in each of their teams.')
const name = { description: 'Name of the person, which others in their teams see.', examples: ['Ada Lovelace'] }
const exampleTeam = { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c61', name: 'Acme', role: 'owner' as const }
export const EXAMPLE_ME = {
  ...{ object: 'me' as const, id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c21', email: 'ada@example.com', name: 'Ada Lovelace' },
  ...{ team: exampleTeam, teams: [exampleTeam], scopes: ['full_access', 'emails:read'], is_operator: false, confirmed_until: null },
  installation: {
    delivery: 'direct' as const,
    has_mailed: true,
    has_mail_hostname: true,
    tracked_by_default: { opens: false, clicks: false },
  },
}

const MyTeam = Named(
  'MyTeam',
  Type.Object(
    {
      id: Id('Id of the team.'),
      name: Type.String({ description: 'Name of the team.', examples: ['Acme'] }),
      role: Enum([...MEMBER_ROLES], { description: 'The role of the person there.' }),
    },
    { description: 'A team of a person.' },
  ),
)

const MyInstallation = Named(
  'MyInstallation',
  Type.Object(
    {
      delivery: Enum([...DELIVERY_MODES], {
        description: 'How mail leaves (`DELIVERY`). With `capture`, it is kept here and reaches no one.',
      }),
      has_mailed: Type.Boolean({
        description:
          'Whether a code, link or invitation was delivered by mail before. Until then, and always with `capture`, an operator prints them on the server: `posthaste people code`, `people link` and `people invite`.',
      }),
      has_mail_hostname: Type.Boolean({
        description: 'Whether `MAIL_HOSTNAME` is set. Until then, the DNS records of domains point to localhost and must not be published.',
      }),
      tracked_by_default: Type.Object(
        {
          opens: Type.Boolean({ description: 'Whether opens are.' }),
          clicks: Type.Boolean({ description: 'Whether clicks are.' }),
        },
        { description: 'What is tracked of mail from senders whose domain the team does not have (`TRACKING_DEFAULT`).' },
      ),
    },
    { description: 'What people need to know of how the installation is set up.' },
  ),
)

export const Me = Named(
  'Me',
  Type.Object(
    {
      object: Kind('me'),
      id: personId,
      email: Type.String({ description: 'Email address of the person, in lower case. Links that sign in are mailed there.' }),
      name: Type.String(name),
      team: Nullable(Ref(MyTeam), { description: 'The team that the session looks at; null if the person belongs to none.' }),
      teams: Type.Array(Ref(MyTeam), { description: 'All teams of the person, the oldest membership first.' }),
      scopes: Type.Array(Type.String(), { description: 'What the role of the person in that team allows: every scope that it includes.' }),
      is_operator: Type.Boolean({
        description: 'Whether the person is an operator of the installation (`OPERATORS`, or a group of `OIDC_GROUPS`).',
      }),
      installation: Ref(MyInstallation),
      confirmed_until: Nullable(
        Timestamp('Until when this session may do what needs a confirmation; null if the person has not confirmed lately that it is them.'),
      ),
    },
    { description: 'The person who is signed in.' },
  ),
)
export const MeUpdate = Named(
  'MeUpdate',
  Type.Object(
    { name: Name({ lengthMax: NAME_LENGTH_MAX, ...name, description: `${name.description} At most ${NAME_LENGTH_MAX} characters.` }) },
    { description: 'Another name.' },
  ),
)
export const MyTeamChoice = Named(
  'MyTeamChoice',
  Type.Object({ team_id: Id('Id of a team of the person.') }, { description: 'The team to look at.' }),
)
export const ME = Resource({
  tag: PERSON_SECTIONS.me,
  noun: 'Person',
  parameter: 'person_id',
  item: Me,
  example: EXAMPLE_ME,
})
export const MyTeamParams = Type.Object({ team_id: Id('Id of the team.') })
export const MyTeamDeletion = Deletion('MyTeamDeletion', 'membership')

export const Confirmation = Named(
  'Confirmation',
  Type.Object(
    {
      code: Type.String({
        ...secret,
        maxLength: 20,
        description: 'The code of eight digits that was mailed last.',
        examples: ['07346128'],
      }),
    },
    { description: 'What confirms that it is the person.' },
  ),
)
export const ConfirmationAsked = Named(
  'ConfirmationAsked',
  Type.Object(
    { object: Kind('confirmation'), expires_at: Timestamp('When the code ends.') },
    { description: 'A code that is on its way by mail.' },
  ),
)

export const Session = Named(
  'Session',
  Type.Object(
    {
      id: Id('Id of the session.'),
      method: Enum([...PERSON_METHODS], { description: 'How the person signed in.' }),
      address: Type.String({ description: 'The address from which they signed in.', examples: ['198.51.100.7'] }),
      browser: Type.String({ description: 'What the browser said of itself.', examples: ['Mozilla/5.0 (X11; Linux x86_64)'] }),
      is_current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
      created_at: Timestamp('When it began.'),
      last_used_at: Timestamp('When it was last used, to the minute.'),
      expires_at: Timestamp('When it ends without further use.'),
    },
    { description: 'A browser in which a person is signed in.' },
  ),
)
export const SESSIONS = Resource({
  tag: PERSON_SECTIONS.me,
  noun: 'Session',
  parameter: 'session_id',
  item: Session,
  example: {
    ...{ id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c23', method: 'link' as const, address: '198.51.100.7' },
    ...{ browser: 'Mozilla/5.0 (X11; Linux x86_64)', is_current: true },
    ...{ created_at: EXAMPLE_TIME, last_used_at: EXAMPLE_TIME, expires_at: EXAMPLE_TIME },
  },
})
export const SessionParams = IdParams(SESSIONS)
export const SessionList = List('SessionList', 'sessions', Session)
export const SessionDeletion = Deletion('SessionDeletion', 'session')
export const OtherSessionsDeletion = Named(
  'OtherSessionsDeletion',
  Type.Object(
    {
      object: Kind('sessions'),
      deleted: Type.Integer({ description: 'How many sessions were ended.', examples: [2] }),
    },
    { description: 'The other sessions of the person, which were ended.' },
  ),
)
