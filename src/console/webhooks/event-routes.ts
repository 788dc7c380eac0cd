// An event of a webhook, its parts that update themselves, and sending it again.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { webhookEventId } from '../../modules/webhooks/events/webhook-events.schema.ts'
import { replayEvent } from '../../modules/webhooks/events/webhook-events.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { noteOf } from '../shell/notes.ts'
import { eventFragment, eventPage } from './event-page.ts'
import { webhookViews } from './webhook-views.ts'
import { webhookAddress } from './webhook-words.ts'

const EventParams = Type.Object({ id: Type.String(), eventId: Type.String() })
const EventQuery = Type.Object({ done: Type.Optional(Type.String()) })

const access = 'public' as const

export const webhookEventPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = webhookViews(context)

  app.get(
    '/:id/events/:eventId',
    { config: { access }, schema: { hide: true, params: EventParams, querystring: EventQuery } },
    async (request, reply) => {
      const view = await views.event(requireSession(request).teamId, request.params)
      return reply.send(eventPage({ ...view, note: noteOf(NOTES, request.query) }))
    },
  )

  app.get('/:id/events/:eventId/progress', { config: { access }, schema: { hide: true, params: EventParams } }, async (request, reply) =>
    reply.sendPart(async () => eventFragment(await views.progress(requireSession(request).teamId, request.params))),
  )

  app.post('/:id/events/:eventId/replay', { config: { access }, schema: { hide: true, params: EventParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const view = await views.event(teamId, request.params)
    const eventId = webhookEventId(view.event.id)
    const result = await attempt(() => replayEvent(context, { teamId, webhookId: view.webhook.id, eventId }))
    if ('done' in result) return reply.redirect(`${webhookAddress(view.webhook)}/events/${eventId}?done=replayed`, 303)
    const { problem } = result
    return refuse(reply, problem).send(eventPage({ ...view, problem }))
  })

  // Where a refused replay was shown: typing the address again leads back to the page.
  app.get('/:id/events/:eventId/replay', { config: { access }, schema: { hide: true, params: EventParams } }, async (request, reply) => {
    const { webhook, event } = await views.progress(requireSession(request).teamId, request.params)
    return reply.redirect(`${webhookAddress(webhook)}/events/${webhookEventId(event.id)}`, 303)
  })
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['sent', 'The sample is on its way.'],
  ['replayed', 'The event is queued again.'],
])
