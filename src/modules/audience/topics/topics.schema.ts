import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import { teamLimit } from '../../../lib/limits/team-limit.ts'
import type { NotificationsOf } from '../../../lib/notifications.ts'
import {
  Deletion,
  Enum,
  EventTime,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Name,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  Reference,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'
import { SUBSCRIPTIONS } from '../audience-fields.ts'

export const TOPIC_NAME_LENGTH_MAX = 50
export const TOPIC_DESCRIPTION_LENGTH_MAX = 200
/** For each team, and therefore for each request: the unsubscribe page shows all of them. */
export const TOPICS_MAX = 200
export const TOPIC_LIMIT = teamLimit(TOPICS_MAX, 'topics')

export const TOPIC_VISIBILITIES = ['public', 'private'] as const
export type TopicVisibility = (typeof TOPIC_VISIBILITIES)[number]

const name = Name({
  lengthMax: TOPIC_NAME_LENGTH_MAX,
  description: `Name of the topic, which contacts see: at most ${TOPIC_NAME_LENGTH_MAX} characters, at least one of them visible.`,
  examples: ['Weekly newsletter'],
})
const description = Type.String({
  maxLength: TOPIC_DESCRIPTION_LENGTH_MAX,
  description: `Description of the topic, which contacts see: at most ${TOPIC_DESCRIPTION_LENGTH_MAX} characters.`,
  examples: ['What happened, every Friday.'],
})
const visibility = Enum([...TOPIC_VISIBILITIES], {
  description: 'Who sees the topic on the unsubscribe page. `public`: every contact. `private`: only contacts who are subscribed to it.',
})

export const TopicCreate = Named(
  'TopicCreate',
  Type.Object(
    {
      name,
      description: OptionalNullable(description),
      default_subscription: Enum([...SUBSCRIPTIONS], {
        description:
          'Applies to everyone who has not made a choice: with `opt_in` they get emails of the topic, with `opt_out` they do not. It cannot be changed later.',
      }),
      visibility: OptionalNullable(Enum([...TOPIC_VISIBILITIES], { description: `${visibility.description} The default is \`private\`.` })),
    },
    { description: 'A topic to create.' },
  ),
)

export const TopicUpdate = Named(
  'TopicUpdate',
  Type.Object(
    {
      name: OptionalNotNull(name),
      description: Type.Optional(Nullable(description)),
      visibility: OptionalNotNull(visibility),
    },
    { description: 'Fields of a topic to change. Fields that are left out stay as they are.' },
  ),
)

const fields = {
  id: Id('Id of the topic.'),
  name: Type.String({ description: 'Name of the topic, which contacts see.', examples: ['Weekly newsletter'] }),
  description: Nullable(Type.String({ description: 'Description of the topic, which contacts see; null if unset.' })),
  default_subscription: Enum([...SUBSCRIPTIONS], { description: 'Applies to everyone who has not made a choice.' }),
  visibility,
  created_at: Timestamp('When the topic was created.'),
}

export const TopicSummary = Named('TopicSummary', Type.Object(fields, { description: 'A topic, as lists show it.' }))
export const Topic = Named(
  'Topic',
  Type.Object({ object: Kind('topic'), ...fields }, { description: 'A topic: a kind of email that contacts can opt in to or out of.' }),
)

export const TOPICS = Resource({
  tag: SECTIONS.topics,
  noun: 'Topic',
  parameter: 'topic_id',
  item: TopicSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c54',
    name: 'Weekly newsletter',
    description: 'What happened, every Friday.',
    default_subscription: 'opt_in',
    visibility: 'public',
    created_at: EXAMPLE_TIME,
  },
})

/** The topic at the time of the notification. Times are in ISO 8601. */
const topicNotification = Type.Object({
  id: fields.id,
  name: fields.name,
  description: fields.description,
  default_subscription: fields.default_subscription,
  deleted: Type.Boolean({ description: 'Whether the topic was deleted.' }),
  created_at: EventTime('When the topic was created.'),
  updated_at: EventTime('When the topic was last changed.'),
})

export const TOPIC_NOTIFICATIONS = {
  'topic.created': topicNotification,
  'topic.updated': topicNotification,
  'topic.deleted': topicNotification,
}

declare module '../../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof TOPIC_NOTIFICATIONS> {}
}

export type TopicNotificationType = keyof typeof TOPIC_NOTIFICATIONS

export const TopicParams = IdParams(TOPICS)
export const TopicList = List('TopicList', 'topics', TopicSummary)
export const TopicReference = Reference('TopicReference', 'topic')
export const TopicDeletion = Deletion('TopicDeletion', 'topic')
