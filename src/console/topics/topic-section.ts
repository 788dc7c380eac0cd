// The section of the console with the topics of a team. Each form does what the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { notFound } from '../../lib/failure.ts'
import { createId, isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import type { TopicRow } from '../../modules/audience/topics/topics.repository.ts'
import { TOPICS } from '../../modules/audience/topics/topics.schema.ts'
import { createTopic, deleteTopic, updateTopic } from '../../modules/audience/topics/topics.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { formIdOf, once, SENT_BEFORE } from '../shell/form-ids.ts'
import { noteOf } from '../shell/notes.ts'
import { isFirstAgain, LINES_PER_PAGE, placeFields } from '../shell/pager.ts'
import { unlessUsedIn } from '../shell/used-record.ts'
import { type TopicListView, topicListPage } from './list-page.ts'
import { formOf, NEW_TOPIC, TopicForm, topicCreateOf, topicUpdateOf } from './topic-forms.ts'
import { type TopicView, topicDeletePage, topicPage } from './topic-page.ts'
import { ADDRESS, pathOf } from './topic-words.ts'

/** A name and a description, which grow when a browser encodes them. */
const FORM_BYTES_MAX = 16_384

const access = 'public' as const

const PlaceQuery = Type.Object({
  ...placeFields,
  done: Type.Optional(Type.String()),
})
const TopicParams = Type.Object({ id: Type.String() })
const onTopic = { config: { access }, schema: { hide: true, params: TopicParams } }

export const topicSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(topicPageRoutes, context)
    },
    { prefix: '/topics' },
  )
}

const topicPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { clock, repositories } = context

  app.get('/', { config: { access }, schema: { hide: true, querystring: PlaceQuery } }, async (request, reply) => {
    const { after, before } = pageRequest(request.query, 'always')
    const view = await list(requireSession(request).teamId, { after, before })
    if (isFirstAgain(view.page, before)) return reply.redirect(ADDRESS, 303)
    return reply.send(topicListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.post('/', { config: { access }, schema: { hide: true, body: TopicForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { body: form } = request
    const result = await attempt(() => once(async () => createTopic(context, teamId, topicCreateOf(form), formIdOf(form, clock.now()))))
    if ('done' in result) return reply.redirect(`${ADDRESS}?done=${result.done === null ? 'again' : 'created'}`, 303)
    const { problem } = result
    return refuse(reply, problem).send(topicListPage({ ...(await list(teamId, { after: null, before: null })), form, problem }))
  })

  app.get('/:id', { config: { access }, schema: { hide: true, params: TopicParams, querystring: PlaceQuery } }, async (request, reply) => {
    const view = await one(requireSession(request).teamId, request.params.id)
    return reply.send(topicPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.post('/:id', { config: { access }, schema: { hide: true, params: TopicParams, body: TopicForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { body: form } = request
    const view = await one(teamId, request.params.id)
    const { id } = view.topic
    const result = await attempt(async () => updateTopic(context, teamId, { id, input: topicUpdateOf(form) }))
    if ('done' in result) return reply.redirect(`${pathOf({ id })}?done=saved`, 303)
    const { problem } = result
    return refuse(reply, problem).send(topicPage({ ...view, form, problem }))
  })

  app.get('/:id/delete', onTopic, async (request, reply) => {
    const { teamName, topic } = await one(requireSession(request).teamId, request.params.id)
    return reply.send(topicDeletePage({ teamName, topic, problem: null }))
  })

  app.post('/:id/delete', onTopic, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { teamName, topic } = await one(teamId, request.params.id)
    const result = await attempt(() => deleteTopic(context, teamId, topic.id, unlessUsedIn(request.body)))
    if ('done' in result) return reply.redirect(`${ADDRESS}?done=deleted`, 303)
    const { problem } = result
    return refuse(reply, problem).send(topicDeletePage({ teamName, topic, problem }))
  })

  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''

  async function list(teamId: string, { after, before }: { after: string | null; before: string | null }): Promise<TopicListView> {
    const page = await repositories.topics.list(teamId, { limit: LINES_PER_PAGE, after, before })
    return {
      teamName: await teamName(teamId),
      page,
      after: after ?? before,
      form: NEW_TOPIC,
      formId: createId(clock),
      problem: null,
      note: '',
    }
  }

  /** @throws Failure `notFound`, also for the topic of another team. */
  async function one(teamId: string, id: string): Promise<TopicView> {
    const topic: TopicRow | null = isId(id) ? await repositories.topics.find(teamId, id.toLowerCase()) : null
    if (!topic) throw notFound(TOPICS.noun)
    const broadcasts = await repositories.audienceBroadcasts.ofTopic(teamId, topic.id)
    return { teamName: await teamName(teamId), now: clock.now(), topic, broadcasts, form: formOf(topic), problem: null, note: '' }
  }
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['created', 'The topic was created.'],
  ['again', SENT_BEFORE],
  ['saved', 'The topic was saved.'],
  ['deleted', 'The topic was deleted.'],
])
