// Writing and changing drafts, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { createId } from '../../lib/ids.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { callerOf, type Session } from '../../modules/accounts/sessions/sessions.service.ts'
import { type BroadcastSender, createBroadcast, updateBroadcast } from '../../modules/broadcasts/broadcasts.service.ts'
import { validateEmail } from '../../modules/emails/validate-emails.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { formIdOf, once } from '../shell/form-ids.ts'
import { BroadcastParams } from './broadcast-routes.ts'
import { broadcastViews } from './broadcast-views.ts'
import { ADDRESS, broadcastAddress } from './broadcast-words.ts'
import { DraftForm, draftCreateOf, draftUpdateOf, formOf } from './draft-forms.ts'
import { type DraftView, draftPage } from './draft-page.ts'

const access = 'public' as const
/** The newest ones. */
const CHOICES = { limit: 100, after: null, before: null }

export const draftRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { clock, repositories } = context
  const views = broadcastViews(context)

  app.get('/new', { config: { access }, schema: { hide: true } }, async (request, reply) =>
    reply.send(draftPage(await newView(requireSession(request).teamId, {}))),
  )

  app.post('/', { config: { access }, schema: { hide: true, body: DraftForm } }, async (request, reply) => {
    const session = requireSession(request)
    const result = await attempt(() =>
      once(async () =>
        createBroadcast(context, senderOf(session), draftCreateOf(request.body), { formId: formIdOf(request.body, clock.now()) }),
      ),
    )
    if ('done' in result)
      return reply.redirect(result.done === null ? `${ADDRESS}?done=again` : `${broadcastAddress(result.done)}?done=saved`, 303)
    const { problem } = result
    return refuse(reply, problem).send(draftPage({ ...(await newView(session.teamId, request.body)), problem }))
  })

  app.get('/:id/edit', { config: { access }, schema: { hide: true, params: BroadcastParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const broadcast = await views.find(teamId, request.params.id)
    return reply.send(draftPage(await editView(teamId, broadcast.id, formOf(broadcast))))
  })

  app.post(
    '/:id/edit',
    { config: { access }, schema: { hide: true, params: BroadcastParams, body: DraftForm } },
    async (request, reply) => {
      const session = requireSession(request)
      const { id } = await views.find(session.teamId, request.params.id)
      const result = await attempt(() => updateBroadcast(context, senderOf(session), { id, input: draftUpdateOf(request.body) }))
      if ('done' in result) return reply.redirect(`${broadcastAddress({ id })}?done=saved`, 303)
      const { problem } = result
      return refuse(reply, problem).send(draftPage({ ...(await editView(session.teamId, id, request.body)), problem }))
    },
  )

  async function view(
    teamId: string,
    form: DraftForm,
  ): Promise<Pick<DraftView, 'teamName' | 'segments' | 'topics' | 'form' | 'formId' | 'problem'>> {
    const [team, segments, topics] = await Promise.all([
      repositories.teams.find(teamId),
      repositories.segments.list(teamId, CHOICES),
      repositories.topics.list(teamId, CHOICES),
    ])
    return { teamName: team?.name ?? '', segments: segments.rows, topics: topics.rows, form, formId: null, problem: null }
  }

  const newView = async (teamId: string, form: DraftForm): Promise<DraftView> => ({
    ...(await view(teamId, form)),
    ...{ title: 'New broadcast', action: ADDRESS, back: ADDRESS, formId: createId(clock) },
  })

  /** The chosen segment and topic are among the choices, however old they are. */
  async function editView(teamId: string, id: string, form: DraftForm): Promise<DraftView> {
    const known = await view(teamId, form)
    const { segmentId, topicId } = await views.find(teamId, id)
    const [segment, topic] = await Promise.all([
      repositories.segments.find(teamId, segmentId),
      topicId === null ? null : repositories.topics.find(teamId, topicId),
    ])
    return {
      ...known,
      segments: withChoice(known.segments, segment),
      topics: withChoice(known.topics, topic),
      ...{ title: 'Change the broadcast', action: `${broadcastAddress({ id })}/edit`, back: broadcastAddress({ id }) },
    }
  }

  /** Only keys with full access have sessions. */
  const senderOf = (session: Session): BroadcastSender => {
    const holder = callerOf(session)
    return { holder, validate: (email) => validateEmail(context, holder, email) }
  }
}

const withChoice = <Choice extends { id: string }>(choices: Choice[], chosen: Choice | null): Choice[] =>
  chosen === null || choices.some(({ id }) => id === chosen.id) ? choices : [chosen, ...choices]
