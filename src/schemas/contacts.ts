import { type Static, Type } from '@sinclair/typebox'
import { SUBSCRIPTIONS } from '../lib/segment-rules.ts'
import { Enum, Given, Id, Kept, Kind, List, ListQuery, Named, Nullable, QueryId, Ref, Reference, Timestamp } from './common.ts'
import { PROPERTIES_MAX, PROPERTY_TYPES, PropertyValue } from './contact-properties.ts'
import { TOPICS_MAX } from './topics.ts'

export const CONTACT_NAME_LENGTH_MAX = 256
/** More than the longest address with a name, so that the sentence about it can say what is wrong. */
const ADDRESS_TEXT_LENGTH_MAX = 998
/** Segments that one contact can be put into: fewer than a team can have. */
export const SEGMENTS_PER_CONTACT_MAX = 500
export const TOO_MANY_SEGMENTS = `A contact can be in at most ${SEGMENTS_PER_CONTACT_MAX.toLocaleString('en')} segments. Take it out of others first.`

const email = Type.String({
  maxLength: ADDRESS_TEXT_LENGTH_MAX,
  description: 'Address, without a name. Kept in lower case, the domain in its ASCII form.',
  examples: ['ada@example.com'],
})
const name = (description: string, example: string) => Type.String({ maxLength: CONTACT_NAME_LENGTH_MAX, description, examples: [example] })

const properties = Type.Record(Type.String(), Nullable(PropertyValue), {
  maxProperties: PROPERTIES_MAX,
  description: 'Values by the key of their property. Null removes one.',
  examples: [{ company: 'Analytical Engines' }],
})

export const Subscription = Enum([...SUBSCRIPTIONS], { description: '`opt_in`: wants this topic. `opt_out`: does not.' })

export const TopicSubscription = Named(
  'TopicSubscription',
  Type.Object({ id: Id('Id of the topic.'), subscription: Subscription }, { description: 'What a contact chose for a topic.' }),
)

const SegmentReference = Type.Union([Type.Object({ id: Id('Id of the segment.') }), Id('Id of the segment.')])

export const ContactCreate = Named(
  'ContactCreate',
  Type.Object({
    email,
    first_name: Given(name('First name.', 'Ada')),
    last_name: Given(name('Last name.', 'Lovelace')),
    unsubscribed: Given(
      Type.Boolean({
        description:
          'True unsubscribes from everything that goes to many. False has no effect: who has unsubscribed stays so, until an update of the contact says otherwise.',
      }),
    ),
    properties: Given(properties),
    segments: Given(
      Type.Array(SegmentReference, {
        maxItems: SEGMENTS_PER_CONTACT_MAX,
        description: `Segments to put the contact into, at most ${SEGMENTS_PER_CONTACT_MAX.toLocaleString('en')}: objects with an \`id\`, or ids.`,
      }),
    ),
    topics: Given(
      Type.Array(Ref(TopicSubscription), {
        maxItems: TOPICS_MAX,
        description: 'What the contact wants of topics. `opt_in` has no effect where the person opted out.',
      }),
    ),
    audience_id: Given(Id('Former name of a segment: puts the contact into it.')),
  }),
)

export const ContactUpdate = Named(
  'ContactUpdate',
  Type.Object({
    email: Kept({
      ...email,
      description: `${email.description} The unsubscribe link of mail that was sent before goes on speaking for the address that it was sent to.`,
    }),
    first_name: Type.Optional(Nullable(name('First name; null clears it.', 'Ada'))),
    last_name: Type.Optional(Nullable(name('Last name; null clears it.', 'Lovelace'))),
    unsubscribed: Kept(Type.Boolean({ description: 'True unsubscribes from everything that goes to many, false subscribes again.' })),
    properties: Kept(properties),
  }),
)

const fields = {
  id: Id('Id of the contact.'),
  email: Type.String({ description: 'Address, in lower case.', examples: ['ada@example.com'] }),
  first_name: Nullable(Type.String({ description: 'First name; null when unset.', examples: ['Ada'] })),
  last_name: Nullable(Type.String({ description: 'Last name; null when unset.', examples: ['Lovelace'] })),
  created_at: Timestamp('When the contact was created.'),
  unsubscribed: Type.Boolean({ description: 'Whether the contact has unsubscribed from everything that goes to many.' }),
}

export const ContactSummary = Named('ContactSummary', Type.Object({ object: Kind('contact'), ...fields }))

export const Contact = Named(
  'Contact',
  Type.Object({
    object: Kind('contact'),
    ...fields,
    properties: Type.Record(
      Type.String(),
      Type.Object({
        value: Type.Union([Type.String(), Type.Number()], { description: 'The value.' }),
        type: Enum([...PROPERTY_TYPES], { description: 'The type of the property.' }),
      }),
      { description: 'The values that are set, by the key of their property.' },
    ),
  }),
)

export const ContactParams = Type.Object({
  contact_id: Type.String({ description: 'Id or address of the contact.', examples: ['ada@example.com'] }),
})

export const ContactListQuery = Type.Composite([ListQuery, Type.Object({ segment_id: QueryId('Only the contacts of this segment.') })])

export const ContactList = List('ContactList', ContactSummary)
export const ContactReference = Reference('ContactReference', 'contact')
export const ContactDeletion = Named(
  'ContactDeletion',
  Type.Object({
    object: Kind('contact'),
    id: Id('Id of the deleted contact.'),
    contact: Type.String({ description: 'The id once more, under the name that the official clients read.' }),
    deleted: Type.Boolean({ description: 'Always `true`.' }),
  }),
)

export type ContactCreate = Static<typeof ContactCreate>
export type ContactUpdate = Static<typeof ContactUpdate>
