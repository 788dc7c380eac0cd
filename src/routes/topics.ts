import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { endedWarnings } from '../lib/uses.ts'
import { DeletionQuery, ListQuery } from '../schemas/common.ts'
import {
  TOPICS,
  TOPICS_MAX,
  Topic,
  TopicCreate,
  TopicDeletion,
  TopicList,
  TopicParams,
  TopicReference,
  TopicUpdate,
} from '../schemas/topics.ts'
import { toList } from '../serializers/list.ts'
import { toTopic, toTopicSummary } from '../serializers/topics.ts'
import { changeTopic, createTopic, removeTopic } from '../services/save-topic.ts'
import { type Call, operation, routes } from './operation.ts'

export const topicRoutes = routes(TOPICS, (context) => {
  const { topics } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof TopicCreate }>) {
    const { id } = await createTopic(context, teamId, body)
    return { object: 'topic' as const, id }
  }

  async function list({ teamId, query }: Call<{ query: typeof ListQuery }>) {
    return toList(await topics.list(teamId, pageRequest(query, 'always')), toTopicSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof TopicParams }>) {
    const topic = await topics.find(teamId, params.topic_id)
    if (!topic) throw notFound(TOPICS.noun)
    return toTopic(topic)
  }

  async function update({ teamId, params, body }: Call<{ params: typeof TopicParams; body: typeof TopicUpdate }>) {
    await changeTopic(context, teamId, { id: params.topic_id, input: body })
    return { object: 'topic' as const, id: params.topic_id.toLowerCase() }
  }

  async function remove({ teamId, params, query, warn }: Call<{ params: typeof TopicParams; query: typeof DeletionQuery }>) {
    warn(endedWarnings(await removeTopic(context, teamId, params.topic_id, { unlessUsed: query.unless_used === true })))
    return { object: 'topic' as const, id: params.topic_id.toLowerCase(), deleted: true }
  }

  return [
    operation({
      id: 'topics.create',
      method: 'POST',
      path: '/topics',
      summary: 'Create a topic',
      description: `Creates a topic: a kind of email that contacts can opt in to or out of. A team can have at most ${TOPICS_MAX} topics.`,
      access: 'full',
      status: 201,
      body: TopicCreate,
      reply: TopicReference,
      example: {
        body: {
          name: 'Weekly newsletter',
          description: 'What happened, every Friday.',
          default_subscription: 'opt_in',
          visibility: 'public',
        },
        reply: { object: 'topic', id: TOPICS.example.id },
      },
      handle: create,
    }),
    operation({
      id: 'topics.list',
      method: 'GET',
      path: '/topics',
      summary: 'List topics',
      description: 'Returns the topics of the team, newest first, 20 by default.',
      access: 'full',
      query: ListQuery,
      reply: TopicList,
      example: { reply: { object: 'list', has_more: false, data: [TOPICS.example] } },
      handle: list,
    }),
    operation({
      id: 'topics.retrieve',
      method: 'GET',
      path: '/topics/:topic_id',
      summary: 'Retrieve a topic',
      description: 'Returns a topic, by its id.',
      access: 'full',
      params: TopicParams,
      reply: Topic,
      example: { reply: { object: 'topic', ...TOPICS.example } },
      handle: retrieve,
    }),
    operation({
      id: 'topics.update',
      method: 'PATCH',
      path: '/topics/:topic_id',
      summary: 'Update a topic',
      description:
        'Changes the name, description or visibility of a topic. `default_subscription` cannot be changed: here it is an unknown field, which is ignored.',
      access: 'full',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: TopicParams,
      body: TopicUpdate,
      reply: TopicReference,
      example: { body: { description: 'What happened, every Monday.' }, reply: { object: 'topic', id: TOPICS.example.id } },
      handle: update,
    }),
    operation({
      id: 'topics.delete',
      method: 'DELETE',
      path: '/topics/:topic_id',
      summary: 'Delete a topic',
      description:
        'Deletes a topic and the choices of contacts about it. Enabled automations that send mail of it are disabled, and broadcasts that are scheduled with it become drafts again. Scheduled emails of the topic will fail when they are due. A topic that the filter of a segment refers to cannot be deleted.',
      access: 'full',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: TopicParams,
      query: DeletionQuery,
      reply: TopicDeletion,
      example: { reply: { object: 'topic', id: TOPICS.example.id, deleted: true } },
      warns: true,
      handle: remove,
    }),
  ]
})
