import { type Static, Type } from '@sinclair/typebox'
import { SUBSCRIPTIONS } from '../lib/audience/segment-rules.ts'
import { Enum, Id, Kind, List, Named, Nullable, Ref } from './common.ts'
import { TopicSubscription } from './contacts.ts'
import { TOPICS_MAX } from './topics.ts'

const choices = { maxItems: TOPICS_MAX }
const choicesSentence = `The topics to opt in to or out of, at most ${TOPICS_MAX}. Other topics are not changed.`

export const ContactTopicsUpdate = Named(
  'ContactTopicsUpdate',
  Type.Union(
    [
      Type.Array(Ref(TopicSubscription), choices),
      Type.Object({ topics: Type.Array(Ref(TopicSubscription), { ...choices, description: choicesSentence }) }),
    ],
    { description: `${choicesSentence} Either the array itself, or an object that holds it as \`topics\`.` },
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
