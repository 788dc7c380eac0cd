// What a signed-in person can read: the suppression list of the team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { noteOf } from '../shell/notes.ts'
import { placeFields } from '../shell/pager.ts'
import { suppressionListPage } from './list-page.ts'
import { removePage } from './remove-page.ts'
import { ADDRESS, originNamed, searchPath, WORDS_LENGTH_MAX } from './search-form.ts'
import { suppressionViews } from './suppression-views.ts'

const access = 'public' as const

const ListQuery = Type.Object({
  /** Without NUL, which no text in the database has. */
  q: Type.Optional(Type.String({ maxLength: WORDS_LENGTH_MAX, pattern: '^[^\\u0000]*$' })),
  origin: Type.Optional(Type.String()),
  ...placeFields,
  done: Type.Optional(Type.String()),
})

export const SuppressionParams = Type.Object({ id: Type.String() })

export const suppressionPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = suppressionViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { q, origin } = request.query
    const { after, before } = pageRequest(request.query, 'always')
    const sought = { words: (q ?? '').trim(), origin: originNamed(origin) }
    const view = await views.list(requireSession(request).teamId, { sought, after, before })
    // Nothing is newer than this page, so it is the first one, which has its own address.
    if (before !== null && view.newer === null) return reply.redirect(searchPath(sought, null), 303)
    return reply.send(suppressionListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.get('/:id/remove', { config: { access }, schema: { hide: true, params: SuppressionParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = request.params
    const suppression = isId(id) ? await context.repositories.suppressions.find(teamId, { id: id.toLowerCase() }) : null
    if (suppression === null) return reply.redirect(`${ADDRESS}?done=gone`, 303)
    const teamName = (await context.repositories.teams.find(teamId))?.name ?? ''
    return reply.send(removePage({ teamName, suppression }))
  })

  // Where a refused form was shown: typing the address again leads back to the page.
  app.get('/import', { config: { access }, schema: { hide: true } }, async (_request, reply) => reply.redirect(ADDRESS, 303))
}

/** Anyone can write the address of a page, so they name no one. */
const NOTES: ReadonlyMap<string, string> = new Map([
  ['added', 'The address is suppressed.'],
  ['removed', 'The address was removed from the list and can get mail again.'],
  ['gone', 'The address was removed before.'],
])
