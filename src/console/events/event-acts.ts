// What a signed-in person can do: create, change and delete an event, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { createEvent, updateEvent } from '../../modules/events/events.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { EventForm, eventCreateOf, eventUpdateOf } from './event-forms.ts'
import { eventPage } from './event-page.ts'
import { EventParams } from './event-routes.ts'
import { eventViews } from './event-views.ts'
import { ADDRESS, eventAddress } from './event-words.ts'
import { eventListPage } from './list-page.ts'

const access = 'public' as const

export const eventActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = eventViews(context)

  app.post('/', { config: { access }, schema: { hide: true, body: EventForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { body: form } = request
    const result = await attempt(async () => createEvent(context, teamId, eventCreateOf(form)))
    if ('done' in result) return reply.redirect(`${eventAddress(result.done)}?done=created`, 303)
    const { problem } = result
    return refuse(reply, problem).send(eventListPage({ ...(await views.list(teamId, { after: null, before: null })), form, problem }))
  })

  app.post('/:id/schema', { config: { access }, schema: { hide: true, params: EventParams, body: EventForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const view = await views.event(teamId, request.params.id)
    const reference = { id: view.event.id }
    const result = await attempt(async () => updateEvent(context, teamId, { reference, schema: eventUpdateOf(request.body).schema }))
    if ('done' in result) return reply.redirect(`${eventAddress(view.event)}?done=saved`, 303)
    const { problem } = result
    return refuse(reply, problem).send(eventPage({ ...view, schema: request.body.schema ?? '', problem }))
  })

  app.post('/:id/delete', { config: { access }, schema: { hide: true, params: EventParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = await views.find(teamId, request.params.id)
    await context.repositories.events.deleteEvent(teamId, { id })
    return reply.redirect(`${ADDRESS}?done=deleted`, 303)
  })
}
