import { type Static, Type } from '@sinclair/typebox'
import { FilteredListQuery, SearchedList, TextFilter } from '../../../http/list-filters.ts'
import { Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import type { NotificationsOf } from '../../../lib/notifications.ts'
import {
  distinct,
  Enum,
  EventTime,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  QueryId,
  Ref,
  Reference,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'
import { SUBSCRIPTIONS } from '../audience-fields.ts'
import { PROPERTIES_MAX, PROPERTY_TYPES, PropertyValue } from '../properties/properties.schema.ts'
import { TOPICS_MAX } from '../topics/topics.schema.ts'

export const CONTACT_NAME_LENGTH_MAX = 256
/** More than the longest address with a name, so that the error can say what is wrong with it. */
const ADDRESS_TEXT_LENGTH_MAX = 998
/** Segments that one contact can be added to: fewer than a team can have. */
export const SEGMENTS_PER_CONTACT_MAX = 500
export const TOO_MANY_SEGMENTS = `A contact can be in at most ${SEGMENTS_PER_CONTACT_MAX.toLocaleString('en')} segments. Remove it from others first.`

const email = Type.String({
  maxLength: ADDRESS_TEXT_LENGTH_MAX,
  description: 'Email address, without a name. It is stored in lower case, with the domain in its ASCII form.',
  examples: ['ada@example.com'],
})
const name = (description: string, example: string) => Type.String({ maxLength: CONTACT_NAME_LENGTH_MAX, description, examples: [example] })

const properties = Type.Record(Type.String(), Nullable(PropertyValue), {
  maxProperties: PROPERTIES_MAX,
  description: 'Values of contact properties, by the key of the property. Null removes a value.',
  examples: [{ company: 'Analytical Engines' }],
})

export const Subscription = Enum([...SUBSCRIPTIONS], {
  description: 'Whether the contact gets emails of the topic: `opt_in` or `opt_out`.',
})

export const TopicSubscription = Named(
  'TopicSubscription',
  Type.Object({ id: Id('Id of the topic.'), subscription: Subscription }, { description: 'The choice of a contact about a topic.' }),
)

export const SegmentReference = Type.Union([Type.Object({ id: Id('Id of the segment.') }), Type.String({ format: 'uuid' })], {
  description: 'Id of a segment, or an object that holds it.',
})

export const ContactCreate = Named(
  'ContactCreate',
  Type.Object(
    {
      email,
      first_name: OptionalNullable(name('First name.', 'Ada')),
      last_name: OptionalNullable(name('Last name.', 'Lovelace')),
      unsubscribed: OptionalNullable(
        Type.Boolean({
          description:
            'True unsubscribes the contact from all bulk email. False has no effect: a contact who unsubscribed stays unsubscribed until the contact is updated.',
        }),
      ),
      properties: OptionalNullable(properties),
      segments: OptionalNullable(
        Type.Array(SegmentReference, {
          maxItems: SEGMENTS_PER_CONTACT_MAX,
          description: `Segments to add the contact to, at most ${SEGMENTS_PER_CONTACT_MAX.toLocaleString('en')}: objects with an \`id\`, or ids.`,
        }),
      ),
      topics: OptionalNullable(
        Type.Array(Ref(TopicSubscription), {
          maxItems: TOPICS_MAX,
          ...distinct('id', 'a topic'),
          description: 'Topics that the contact opts in to or out of. `opt_in` has no effect if the contact opted out.',
        }),
      ),
      audience_id: OptionalNullable(Id('Id of a segment to add the contact to, under its former name.')),
    },
    { description: 'A contact to create, or to merge into the contact that has the address.' },
  ),
)

export const ContactUpdate = Named(
  'ContactUpdate',
  Type.Object(
    {
      email: OptionalNotNull({
        ...email,
        description: `${email.description} Unsubscribe links in emails that were sent before still apply to the former address.`,
      }),
      first_name: Type.Optional(Nullable(name('First name; null clears it.', 'Ada'))),
      last_name: Type.Optional(Nullable(name('Last name; null clears it.', 'Lovelace'))),
      unsubscribed: OptionalNotNull(
        Type.Boolean({ description: 'True unsubscribes the contact from all bulk email, false subscribes the contact again.' }),
      ),
      properties: OptionalNotNull(properties),
    },
    { description: 'Fields of a contact to change. Fields that are left out stay as they are.' },
  ),
)

const fields = {
  id: Id('Id of the contact.'),
  email: Type.String({ description: 'Email address, in lower case.', examples: ['ada@example.com'] }),
  first_name: Nullable(Type.String({ description: 'First name; null if unset.', examples: ['Ada'] })),
  last_name: Nullable(Type.String({ description: 'Last name; null if unset.', examples: ['Lovelace'] })),
  created_at: Timestamp('When the contact was created.'),
  unsubscribed: Type.Boolean({ description: 'Whether the contact unsubscribed from all bulk email.' }),
}

export const ContactSummary = Named(
  'ContactSummary',
  Type.Object(
    {
      object: Kind('contact'),
      ...fields,
      suppressed: Type.Optional(
        Type.Boolean({
          description:
            'Whether the address is on the suppression list, so that it gets no mail. An extension; left out for an access token without the scope to read suppressions.',
        }),
      ),
    },
    { description: 'A contact, as lists show it.' },
  ),
)

export const Contact = Named(
  'Contact',
  Type.Object(
    {
      object: Kind('contact'),
      ...fields,
      properties: Type.Record(
        Type.String(),
        Type.Object({
          value: Type.Union([Type.String(), Type.Number()], { description: 'Value of the property.' }),
          type: Enum([...PROPERTY_TYPES], { description: 'Type of the property.' }),
        }),
        { description: 'Values of contact properties, by the key of the property. Properties without a value are left out.' },
      ),
    },
    { description: 'A contact: a person to whom the team sends email.' },
  ),
)

export const CONTACTS = Resource({
  tag: SECTIONS.contacts,
  noun: 'Contact',
  parameter: 'contact_id',
  item: ContactSummary,
  example: {
    object: 'contact',
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c32',
    email: 'ada@example.com',
    first_name: 'Ada',
    last_name: 'Lovelace',
    created_at: EXAMPLE_TIME,
    unsubscribed: false,
  },
})

/** The contact at the time of the notification. Times are in ISO 8601. */
const contactNotification = Type.Object({
  id: fields.id,
  email: fields.email,
  first_name: fields.first_name,
  last_name: fields.last_name,
  unsubscribed: fields.unsubscribed,
  segment_ids: Type.Array(Type.String(), { description: 'The segments that the contact was added to.' }),
  created_at: EventTime('When the contact was created.'),
  updated_at: EventTime('When the contact was last changed.'),
})

export const CONTACT_NOTIFICATIONS = {
  'contact.created': contactNotification,
  'contact.updated': contactNotification,
  'contact.deleted': contactNotification,
  /** Only the topics that changed. */
  'contact.topics.updated': Type.Object({
    email: fields.email,
    topics: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the topic.' }),
        subscription: Enum([...SUBSCRIPTIONS], { description: 'The subscription of the contact now.' }),
      }),
      { description: 'The topics that changed.' },
    ),
  }),
}

declare module '../../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof CONTACT_NOTIFICATIONS> {}
}

export type ContactNotificationType = Exclude<keyof typeof CONTACT_NOTIFICATIONS, 'contact.topics.updated'>

export const ContactParams = Type.Object({
  contact_id: Type.String({ description: 'Id or email address of the contact.', examples: ['ada@example.com'] }),
})

export const ContactListQuery = FilteredListQuery({
  segment_id: QueryId('Return only the contacts of this segment.'),
  search: TextFilter(
    'Return only contacts with this part of an address or a name, in upper or lower case. It cannot be combined with `segment_id`.',
    ['ada'],
  ),
})

export const ContactList = SearchedList('ContactList', 'contacts', ContactSummary)
export const ContactReference = Reference('ContactReference', 'contact')
export const ContactDeletion = Named(
  'ContactDeletion',
  Type.Object(
    {
      object: Kind('contact'),
      id: Id('Id of the deleted contact.'),
      contact: Type.String({ description: 'Same as `id`, under the name that the official clients read.' }),
      deleted: Type.Boolean({ description: 'Always `true`.' }),
    },
    { description: 'Confirms that the contact was deleted.' },
  ),
)

export type ContactCreate = Static<typeof ContactCreate>
export type ContactUpdate = Static<typeof ContactUpdate>

const topicChoices = { maxItems: TOPICS_MAX, ...distinct('id', 'a topic') }

const topicChoicesSentence = `The topics to opt in to or out of, at most ${TOPICS_MAX}. Other topics are not changed.`

export const ContactTopicsUpdate = Named(
  'ContactTopicsUpdate',
  Type.Union(
    [
      Type.Array(Ref(TopicSubscription), topicChoices),
      Type.Object({ topics: Type.Array(Ref(TopicSubscription), { ...topicChoices, description: topicChoicesSentence }) }),
    ],
    { description: `${topicChoicesSentence} Either the array itself, or an object that holds it as \`topics\`.` },
  ),
)

export const ContactTopic = Named(
  'ContactTopic',
  Type.Object(
    {
      id: Id('Id of the topic.'),
      name: Type.String({ description: 'Name of the topic, which contacts see.', examples: ['Weekly newsletter'] }),
      description: Nullable(Type.String({ description: 'Description of the topic, which contacts see; null if unset.' })),
      subscription: Enum([...SUBSCRIPTIONS], {
        description:
          'Whether the contact gets emails of the topic: the choice of the contact, or the default of the topic if the contact made none.',
      }),
    },
    { description: 'A topic, with the subscription of a contact.' },
  ),
)

export const ContactTopicList = List('ContactTopicList', 'topics of the team', ContactTopic)

export const ContactTopicsReference = Named(
  'ContactTopicsReference',
  Type.Object(
    {
      object: Kind('contact_topics'),
      id: Id('Id of the contact.'),
      contact_id: Id('Id of the contact.'),
      topics: Type.Array(Ref(TopicSubscription), { description: 'The choices that were set.' }),
    },
    { description: 'Identifies the contact, with the choices that were set.' },
  ),
)

export type ContactTopicsUpdate = Static<typeof ContactTopicsUpdate>
