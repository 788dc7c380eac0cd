import { type Static, Type } from '@sinclair/typebox'
import { SUBSCRIPTIONS } from '../lib/segment-rules.ts'
import { Enum, Id, Kind, List, Named, Nullable, Ref } from './common.ts'
import { TopicSubscription } from './contacts.ts'
import { TOPICS_MAX } from './topics.ts'

const choices = Type.Array(Ref(TopicSubscription), {
  maxItems: TOPICS_MAX,
  description: `What the contact wants, at most ${TOPICS_MAX} topics. Others stay as they are.`,
})

export const ContactTopicsUpdate = Named(
  'ContactTopicsUpdate',
  Type.Union([choices, Type.Object({ topics: choices })], { description: 'An array of choices, or an object with it.' }),
)

export const ContactTopic = Named(
  'ContactTopic',
  Type.Object({
    id: Id('Id of the topic.'),
    name: Type.String({ description: 'What contacts read.', examples: ['Weekly newsletter'] }),
    description: Nullable(Type.String({ description: 'More about it; null when unset.' })),
    subscription: Enum([...SUBSCRIPTIONS], {
      description: 'Whether the contact gets its mail: what the contact chose, else the default of the topic.',
    }),
  }),
)

export const ContactTopicList = List('ContactTopicList', ContactTopic)

export const ContactTopicsReference = Named(
  'ContactTopicsReference',
  Type.Object({
    object: Kind('contact_topics'),
    id: Id('Id of the contact.'),
    contact_id: Id('Id of the contact.'),
    topics: Type.Array(Ref(TopicSubscription), { description: 'What was set.' }),
  }),
)

export type ContactTopicsUpdate = Static<typeof ContactTopicsUpdate>
