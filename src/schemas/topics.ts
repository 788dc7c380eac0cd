import { Type } from '@sinclair/typebox'
import { SUBSCRIPTIONS } from '../lib/segment-rules.ts'
import { Deletion, Enum, Given, Id, IdParams, Kept, Kind, List, Name, Named, Nullable, Reference, Timestamp } from './common.ts'

export const TOPIC_NAME_LENGTH_MAX = 50
export const TOPIC_DESCRIPTION_LENGTH_MAX = 200
/** Of one team, and so what one request can name: a page shows them all at once. */
export const TOPICS_MAX = 200

const VISIBILITIES = ['public', 'private'] as const

const name = Name({
  lengthMax: TOPIC_NAME_LENGTH_MAX,
  description: `What contacts read: at most ${TOPIC_NAME_LENGTH_MAX} characters, one of them visible.`,
  examples: ['Weekly newsletter'],
})
const description = Type.String({
  maxLength: TOPIC_DESCRIPTION_LENGTH_MAX,
  description: `More about it, for contacts as well; at most ${TOPIC_DESCRIPTION_LENGTH_MAX} characters.`,
  examples: ['What happened, every Friday.'],
})
const visibility = Enum([...VISIBILITIES], {
  description: '`public`: every contact can choose it on the unsubscribe page. `private`: only contacts who have it see it there.',
})

export const TopicCreate = Named(
  'TopicCreate',
  Type.Object({
    name,
    description: Given(description),
    default_subscription: Enum([...SUBSCRIPTIONS], {
      description:
        'What holds for everybody who has not chosen: `opt_in`, they get its mail; `opt_out`, they do not. It cannot change after creation.',
    }),
    visibility: Given(Enum([...VISIBILITIES], { description: `${visibility.description} \`private\` unless stated.` })),
  }),
)

export const TopicUpdate = Named(
  'TopicUpdate',
  Type.Object({
    name: Kept(name),
    description: Type.Optional(Nullable(description)),
    visibility: Kept(visibility),
  }),
)

const fields = {
  id: Id('Id of the topic.'),
  name: Type.String({ description: 'What contacts read.', examples: ['Weekly newsletter'] }),
  description: Nullable(Type.String({ description: 'More about it; null when unset.' })),
  default_subscription: Enum([...SUBSCRIPTIONS], { description: 'What holds for everybody who has not chosen.' }),
  visibility,
  created_at: Timestamp('When the topic was created.'),
}

export const TopicSummary = Named('TopicSummary', Type.Object(fields))
export const Topic = Named('Topic', Type.Object({ object: Kind('topic'), ...fields }))

export const TopicParams = IdParams('topic_id', 'Id of the topic.')
export const TopicList = List('TopicList', TopicSummary)
export const TopicReference = Reference('TopicReference', 'topic')
export const TopicDeletion = Deletion('TopicDeletion', 'topic')
