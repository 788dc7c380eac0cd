import { type Static, Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import {
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  ListQuery,
  Named,
  Nullable,
  OptionalNullable,
  oneGiven,
  Ref,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'
import { PROPERTY_KEY_LENGTH_MAX, PropertyValue } from '../properties/properties.schema.ts'
import { SegmentFilter } from '../segments/segments.schema.ts'

/** Contacts that one job can name by their ids, so that its request stays small. */
export const CONTACT_JOB_IDS_MAX = 10_000
/** The longest address, or as much of a name. */
const SEARCH_LENGTH_MAX = 320
/** Jobs of a team that have not ended. They run one at a time. */
export const CONTACT_JOBS_WAITING_MAX = 100
/** Refused contacts of a job whose reasons are kept. Later ones are only counted. */
export const JOB_REFUSALS_KEPT_MAX = 10_000
/** How long the reasons are kept. */
export const JOB_REFUSALS_DAYS = 30

export const CONTACT_JOB_STATUSES = ['queued', 'in_progress', 'completed', 'failed', 'canceled'] as const
export type ContactJobStatus = (typeof CONTACT_JOB_STATUSES)[number]

export const CONTACT_ACTS = [
  'add_to_segment',
  'remove_from_segment',
  'opt_in',
  'opt_out',
  'unsubscribe',
  'subscribe',
  'set_property',
  'unsuppress',
  'delete',
] as const

/** Recipients of a broadcast by what became of their mail, and what did not. */
export const RECIPIENT_GROUPS = [
  'delivered',
  'opened',
  'not_opened',
  'clicked',
  'not_clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'suppressed',
  'failed',
] as const
export type RecipientGroup = (typeof RECIPIENT_GROUPS)[number]

export const JOB_REFUSAL_REASONS = ['not_found', 'opted_out', 'suppressed', 'too_many_segments'] as const
export type JobRefusalReason = (typeof JOB_REFUSAL_REASONS)[number]

export const recipientGroup = Enum([...RECIPIENT_GROUPS], {
  description:
    'Which recipients. `not_opened` and `not_clicked`: the mail was delivered, and no person opened it, or followed a link. Opens and clicks of programs do not count. The others are as in `GET /broadcasts/{id}/recipients`.',
  examples: ['not_opened'],
})

const named = {
  segment_id: OptionalNullable(Id('Id of a segment: the contacts that are in it.')),
  search: OptionalNullable(
    Type.String({
      minLength: 1,
      maxLength: SEARCH_LENGTH_MAX,
      description: 'The contacts with this part of an address or a name, as `search` of `GET /contacts`, but however many there are.',
      examples: ['ada'],
    }),
  ),
  filter: OptionalNullable(Ref(SegmentFilter), { description: 'The contacts that this filter of a segment finds.' }),
  broadcast_id: OptionalNullable(Id('Id of a broadcast: those of its recipients that `recipients` names.')),
  all: OptionalNullable(Type.Literal(true, { description: 'All contacts of the team.' })),
}

const recipients = OptionalNullable(recipientGroup, { description: `Only with \`broadcast_id\`. ${recipientGroup.description}` })

export const ContactSelection = Named(
  'ContactSelection',
  Type.Object(
    {
      ids: OptionalNullable(
        Type.Array(Type.String({ format: 'uuid' }), {
          minItems: 1,
          maxItems: CONTACT_JOB_IDS_MAX,
          description: `Ids of contacts, at most ${CONTACT_JOB_IDS_MAX.toLocaleString('en')}.`,
        }),
      ),
      ...named,
      recipients,
    },
    {
      description: 'Which contacts: exactly one of `ids`, `segment_id`, `search`, `filter`, `broadcast_id` with `recipients`, and `all`.',
      ...oneGiven('ids', ...Object.keys(named)),
    },
  ),
)

const actFields = {
  type: Enum([...CONTACT_ACTS], {
    description:
      'What is done with each contact. `add_to_segment` and `remove_from_segment` need `segment_id`; `opt_in` and `opt_out` need `topic_id`; `set_property` needs `property`, and `value` unless it removes the value. `unsubscribe` and `subscribe` are about all bulk email; `unsuppress` takes the address off the suppression list; `delete` deletes the contact as `DELETE /contacts/{id}` does.',
    examples: ['add_to_segment'],
  }),
  segment_id: OptionalNullable(Id('Id of a segment without a filter.')),
  topic_id: OptionalNullable(Id('Id of a topic.')),
  property: OptionalNullable(
    Type.String({ maxLength: PROPERTY_KEY_LENGTH_MAX, description: 'Key of a contact property.', examples: ['company'] }),
  ),
  value: OptionalNullable(PropertyValue, { description: 'Value for the property. Null or left out: the value is removed.' }),
}

export const ContactJobAct = Named('ActOnContacts', Type.Object(actFields, { description: 'What is done with contacts.' }))

export const ContactJobCreate = Named(
  'ContactJobCreate',
  Type.Object({ contacts: Ref(ContactSelection), act: Ref(ContactJobAct) }, { description: 'An act, and the contacts that it is for.' }),
)

export const ContactCountCreate = Named(
  'ContactCountCreate',
  Type.Object({ contacts: Ref(ContactSelection) }, { description: 'Contacts to count.' }),
)
export const ContactCount = Named(
  'ContactCount',
  Type.Object(
    {
      object: Kind('contact_count'),
      contacts: Type.Integer({ minimum: 0, description: 'Number of contacts.', examples: [300] }),
      is_exact: Type.Boolean({ description: 'False if counting all of them takes too long: there are at least as many.' }),
    },
    { description: 'How many contacts a selection has.' },
  ),
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

const ContactJobCounts = Named(
  'ContactJobCounts',
  Type.Object(
    {
      total: count('Contacts that were dealt with. It is the sum of the other counts.'),
      changed: count('Contacts that the act changed.'),
      unchanged: count('Contacts that were already as the act makes them.'),
      refused: count('Contacts for which the act was refused.'),
    },
    { description: 'Counts of the contacts so far.' },
  ),
)

const shownSelection = Type.Object(
  {
    ids_count: Nullable(count('How many ids were given; null if the contacts were not named by their ids.')),
    segment_id: Nullable(Id('Id of the segment, if it names one.')),
    search: Nullable(Type.String({ description: 'What was searched, if it is a search.' })),
    filter: Nullable(Ref(SegmentFilter), { description: 'The filter, if it is one.' }),
    broadcast_id: Nullable(Id('Id of the broadcast, if it names one.')),
    recipients: Nullable(recipientGroup, { description: 'Which recipients of the broadcast.' }),
    all: Type.Boolean({ description: 'Whether it is all contacts of the team.' }),
  },
  { description: 'Which contacts the job is for. Contacts that were created after the job are left out.' },
)

const shownAct = Type.Object(
  {
    type: actFields.type,
    segment_id: Nullable(Id('Id of the segment.')),
    topic_id: Nullable(Id('Id of the topic.')),
    property: Nullable(Type.String({ description: 'Key of the property.' })),
    value: Nullable(PropertyValue, { description: 'Value for the property; null if the value is removed.' }),
  },
  { description: 'What is done with each of them. Fields that the type does not need are null.' },
)

export const ContactJob = Named(
  'ContactJob',
  Type.Object(
    {
      object: Kind('contact_job'),
      id: Id('Id of the job.'),
      status: Enum([...CONTACT_JOB_STATUSES], { description: 'Status of the job.' }),
      contacts: shownSelection,
      act: shownAct,
      expected: Nullable(count('How many contacts there were when the job was created; null if counting them took too long.')),
      counts: Ref(ContactJobCounts),
      reason: Nullable(Type.String({ description: 'Why the job failed; null if it did not.' })),
      created_at: Timestamp('When the job was created.'),
      completed_at: Nullable(Timestamp('When the job was completed, failed or was canceled; null until then.')),
    },
    { description: 'An act over many contacts, which runs in the background.' },
  ),
)

export const CONTACT_JOBS = Resource({
  tag: SECTIONS.contacts,
  noun: 'Contact job',
  parameter: 'contact_job_id',
  item: ContactJob,
  example: {
    object: 'contact_job',
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cb7',
    status: 'in_progress',
    contacts: { ids_count: null, segment_id: null, search: null, filter: null, broadcast_id: null, recipients: null, all: true },
    act: { type: 'set_property', segment_id: null, topic_id: null, property: 'company', value: 'Analytical Engines' },
    expected: 100_000,
    counts: { total: 60_000, changed: 58_000, unchanged: 2_000, refused: 0 },
    reason: null,
    created_at: EXAMPLE_TIME,
    completed_at: null,
  },
})

export const ContactJobParams = IdParams(CONTACT_JOBS)
export const ContactJobListQuery = Type.Composite([
  ListQuery,
  Type.Object({ status: Type.Optional(Enum([...CONTACT_JOB_STATUSES], { description: 'Return only jobs with this status.' })) }),
])
export const ContactJobList = List('ContactJobList', 'contact jobs', ContactJob)

export const JobRefusal = Named(
  'ContactJobRefusal',
  Type.Object(
    {
      id: Id('Id of the contact.'),
      email: Nullable(Type.String({ description: 'Address of the contact; null if the team has no such contact.' })),
      reason: Enum([...JOB_REFUSAL_REASONS], {
        description:
          'Why. `not_found`: the team has no contact with this id. `opted_out`: the contact opted out of the topic. `suppressed`: mail to the address is stopped by a complaint or by the team. `too_many_segments`: the contact is in as many segments as it may be.',
      }),
    },
    { description: 'A contact for which the act was refused.' },
  ),
)
export const JobRefusalList = List('ContactJobRefusalList', 'refused contacts', JobRefusal)

export type ContactSelection = Static<typeof ContactSelection>
export type ContactJobAct = Static<typeof ContactJobAct>
export type ContactJobCreate = Static<typeof ContactJobCreate>
