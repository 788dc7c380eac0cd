import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { DeletionQuery, ListQuery } from '../../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { TopicRow } from './topics.repository.ts'
import {
  TOPIC_LIMIT,
  TOPICS,
  Topic,
  TopicCreate,
  TopicDeletion,
  TopicList,
  TopicParams,
  TopicReference,
  type TopicSummary,
  TopicUpdate,
} from './topics.schema.ts'
import { createTopic, deleteTopic, updateTopic } from './topics.service.ts'

type Context = AudienceContext

export const toTopicSummary = (row: TopicRow): Static<typeof TopicSummary> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  default_subscription: row.defaultSubscription,
  visibility: row.visibility,
  created_at: toTimestamp(row.createdAt),
})

export const toTopic = (row: TopicRow): Static<typeof Topic> => ({ object: 'topic', ...toTopicSummary(row) })

const operation = declareOperations(TOPICS)
const topic = plainResource(TOPICS, 'topic')

export const topicRoutes: Routes<Context> = async (app, { context }) => {
  const { topics } = context.repositories

  app.post(
    '/topics',
    operation({
      id: 'topics.create',
      summary: 'Create a topic',
      description: `Creates a topic: a kind of email that contacts can opt in to or out of. ${TOPIC_LIMIT.sentence}.`,
      access: 'full',
      audit: 'always',
      body: TopicCreate,
      reply: { 201: TopicReference },
      example: {
        body: {
          name: 'Weekly newsletter',
          description: 'What happened, every Friday.',
          default_subscription: 'opt_in',
          visibility: 'public',
        },
        reply: topic.examples.reference,
      },
    }),
    async ({ teamId, body }) => topic.reference(await createTopic(context, teamId, body)),
  )

  app.get(
    '/topics',
    operation({
      id: 'topics.list',
      summary: 'List topics',
      description: 'Returns the topics of the team, newest first, 20 by default.',
      access: 'full',
      audit: 'never',
      query: ListQuery,
      reply: { 200: TopicList },
      example: { reply: topic.examples.list },
    }),
    topic.list(topics.list, toTopicSummary, 'always'),
  )

  app.get(
    '/topics/:topic_id',
    operation({
      id: 'topics.retrieve',
      summary: 'Retrieve a topic',
      description: 'Returns a topic, by its id.',
      access: 'full',
      audit: 'never',
      params: TopicParams,
      reply: { 200: Topic },
      example: { reply: { object: 'topic', ...TOPICS.example } },
    }),
    topic.retrieve(topics.find, toTopic),
  )

  app.patch(
    '/topics/:topic_id',
    operation({
      id: 'topics.update',
      summary: 'Update a topic',
      description:
        'Changes the name, description or visibility of a topic. `default_subscription` cannot be changed: here it is an unknown field, which is ignored.',
      access: 'full',
      audit: 'always',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: TopicParams,
      body: TopicUpdate,
      reply: { 200: TopicReference },
      example: { body: { description: 'What happened, every Monday.' }, reply: topic.examples.reference },
    }),
    async ({ teamId, params, body }) => topic.reference(await updateTopic(context, teamId, { id: params.topic_id, input: body })),
  )

  app.delete(
    '/topics/:topic_id',
    operation({
      id: 'topics.delete',
      summary: 'Delete a topic',
      description:
        'Deletes a topic and the choices of contacts about it. Enabled automations that send mail of it are disabled, and broadcasts that are scheduled with it become drafts again. Scheduled emails of the topic will fail when they are due. A topic that the filter of a segment refers to cannot be deleted.',
      access: 'full',
      audit: 'always',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: TopicParams,
      query: DeletionQuery,
      reply: { 200: TopicDeletion },
      example: { reply: topic.examples.deletion },
      warns: true,
    }),
    async ({ teamId, params, query }, reply) =>
      topic.deletionOfUsed(await deleteTopic(context, teamId, params.topic_id, { unlessUsed: query.unless_used }), reply),
  )
}
