// What a signed-in person can read: the contacts of the team, and all that is known of one.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { asDownload } from '../../http/headers.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { confirmAddress, isConfirmed } from '../../modules/accounts/sessions/confirmation.pages.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { exportContact } from '../../modules/privacy/contact-exports.routes.ts'
import { noteOf } from '../shell/notes.ts'
import { placeFields } from '../shell/pager.ts'
import { contactPage } from './contact-page.ts'
import { contactViews } from './contact-views.ts'
import { pathOf, WORDS_LENGTH_MAX } from './contact-words.ts'
import { editPage } from './edit-page.ts'
import { erasePage } from './erase-page.ts'
import { contactListPage, listPath } from './list-page.ts'

const access = 'public' as const

const ListQuery = Type.Object({
  /** Without NUL, which no text in the database has. */
  q: Type.Optional(Type.String({ maxLength: WORDS_LENGTH_MAX, pattern: '^[^\\u0000]*$' })),
  ...placeFields,
  done: Type.Optional(Type.String()),
})
export const ContactParams = Type.Object({ id: Type.String() })
const ContactQuery = Type.Object({ after: Type.Optional(Type.String({ format: 'uuid' })), done: Type.Optional(Type.String()) })

export const contactPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = contactViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { q } = request.query
    const { after, before } = pageRequest(request.query, 'always')
    const words = (q ?? '').trim()
    const view = await views.list(requireSession(request).teamId, { words, after, before })
    // Nothing is newer than this page, so it is the first one, which has its own address.
    if (before !== null && view.newer === null) return reply.redirect(listPath(words, null), 303)
    return reply.send(contactListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.get(
    '/:id',
    { config: { access }, schema: { hide: true, params: ContactParams, querystring: ContactQuery } },
    async (request, reply) => {
      const { after = null } = request.query
      const view = await views.contact(requireSession(request).teamId, request.params.id, after?.toLowerCase() ?? null)
      return reply.send(contactPage({ ...view, note: noteOf(NOTES, request.query) }))
    },
  )

  app.get('/:id/edit', { config: { access }, schema: { hide: true, params: ContactParams } }, async (request, reply) =>
    reply.send(editPage(await views.edit(requireSession(request).teamId, request.params.id))),
  )

  app.get('/:id/export', { config: { access }, schema: { hide: true, params: ContactParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = await views.find(teamId, request.params.id)
    if (!isConfirmed(request, context)) return reply.redirect(confirmAddress(`/console/contacts/${id}/export`), 303)
    const document = await exportContact(context, teamId, { id })
    return reply
      .headers({ 'content-type': 'application/octet-stream', 'content-disposition': asDownload(`contact-${id}.json`) })
      .send(JSON.stringify(document, null, 2))
  })

  app.get('/:id/erase', { config: { access }, schema: { hide: true, params: ContactParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const contact = await views.find(teamId, request.params.id)
    return reply.send(erasePage({ teamName: await views.teamName(teamId), contact, typed: '', problem: null }))
  })

  // Where a refused form was shown: typing the address again leads back to the page.
  for (const form of ['subscribe', 'unsubscribe', 'segments', 'segments/:other/remove', 'topics/:other'])
    app.get(`/:id/${form}`, { config: { access }, schema: { hide: true, params: ContactParams } }, async (request, reply) =>
      reply.redirect(pathOf(await views.find(requireSession(request).teamId, request.params.id)), 303),
    )
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['added', 'The contact was added. A contact who is known already was changed.'],
  ['saved', 'The contact was saved.'],
  ['subscribed', 'The contact is subscribed again.'],
  ['unsubscribed', 'The contact is unsubscribed.'],
  ['segments', 'The segments of the contact were changed.'],
  ['topics', 'The choice was saved.'],
  ['erased', 'The person was erased.'],
])
