// What a signed-in person can read: the API keys of the team, without their tokens.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { noteOf } from '../shell/notes.ts'
import { placeFields } from '../shell/pager.ts'
import { deletePage } from './delete-page.ts'
import { keyPage } from './key-page.ts'
import { keyViews } from './key-views.ts'
import { keyAddress } from './key-words.ts'
import { keyListPage } from './list-page.ts'

const access = 'public' as const

export const KeyParams = Type.Object({ id: Type.String() })
const NoteQuery = Type.Object({ done: Type.Optional(Type.String()) })
const ListQuery = Type.Object({
  ...placeFields,
  done: Type.Optional(Type.String()),
})

export const keyPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = keyViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const view = await views.list(requireSession(request), pageRequest(request.query, 'always'))
    return reply.send(keyListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.get('/:id', { config: { access }, schema: { hide: true, params: KeyParams, querystring: NoteQuery } }, async (request, reply) => {
    const view = await views.key(requireSession(request), request.params.id)
    return reply.send(keyPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.get('/:id/delete', { config: { access }, schema: { hide: true, params: KeyParams } }, async (request, reply) => {
    const session = requireSession(request)
    const { teamName, now, key } = await views.key(session, request.params.id)
    return reply.send(deletePage({ teamName, now, key, isLastWithFullAccess: await views.isLastWithFullAccess(session.teamId, key) }))
  })

  // Where a refused form was shown: typing the address again leads back to the page.
  app.get('/:id/rename', { config: { access }, schema: { hide: true, params: KeyParams } }, async (request, reply) =>
    reply.redirect(keyAddress(await views.find(requireSession(request).teamId, request.params.id)), 303),
  )
}

const NOTES = new Map([
  ['renamed', 'The name was saved.'],
  ['deleted', 'The key was deleted.'],
  ['gone', 'The key was already deleted.'],
  ['again', 'This form was already sent. Its key was created then, and shown once.'],
])
