// What a signed-in person can read: the events of the team, and what a contact did.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { noteOf } from '../shell/notes.ts'
import { placeFields } from '../shell/pager.ts'
import { eventPage } from './event-page.ts'
import { eventViews } from './event-views.ts'
import { eventAddress } from './event-words.ts'
import { eventListPage } from './list-page.ts'

const access = 'public' as const

export const EventParams = Type.Object({ id: Type.String() })
const EventQuery = Type.Object({
  /** Without NUL, which no text in the database has. */
  contact: Type.Optional(Type.String({ maxLength: 320, pattern: '^[^\\u0000]*$' })),
  done: Type.Optional(Type.String()),
})
const ListQuery = Type.Object({
  ...placeFields,
  done: Type.Optional(Type.String()),
})

export const eventPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = eventViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const view = await views.list(requireSession(request).teamId, pageRequest(request.query, 'always'))
    return reply.send(eventListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.get('/:id', { config: { access }, schema: { hide: true, params: EventParams, querystring: EventQuery } }, async (request, reply) => {
    const view = await views.event(requireSession(request).teamId, request.params.id, request.query)
    return reply.send(eventPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  // Where a refused form was shown: typing the address again leads back to the page.
  app.get('/:id/schema', { config: { access }, schema: { hide: true, params: EventParams } }, async (request, reply) =>
    reply.redirect(eventAddress(await views.find(requireSession(request).teamId, request.params.id)), 303),
  )
}

const NOTES = new Map([
  ['created', 'The event was created.'],
  ['saved', 'The fields were saved.'],
  ['deleted', 'The event was deleted.'],
])
