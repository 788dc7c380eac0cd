// What a signed-in person can read: the list, a template with its versions, and the document of its preview.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { framedHeaders, withFrameScript } from '../../modules/sharing/frame/email-frame.ts'
import { framedHtml } from '../../modules/sharing/frame/framed-html.ts'
import { NO_IMAGES } from '../../modules/sharing/inline-images.routes.ts'
import { refuse } from '../shell/form-attempt.ts'
import { SENT_BEFORE } from '../shell/form-ids.ts'
import { noteOf } from '../shell/notes.ts'
import { isFirstAgain, placeFields } from '../shell/pager.ts'
import { deletePage } from './delete-page.ts'
import { templateListPage } from './list-page.ts'
import { type PreviewPlace, typedValues } from './preview-values.ts'
import { templatePage } from './template-page.ts'
import { templateViews } from './template-views.ts'
import { ADDRESS, templateAddress } from './template-words.ts'

const access = 'public' as const

export const TemplateParams = Type.Object({ id: Type.String() })
const ListQuery = Type.Object({
  ...placeFields,
  done: Type.Optional(Type.String()),
})
/** With the values of variables, whose names begin with `v.`. */
const PreviewQuery = Type.Object({
  version: Type.Optional(Type.String()),
  view: Type.Optional(Type.String()),
  remote: Type.Optional(Type.Literal('yes')),
  done: Type.Optional(Type.String()),
})

export const templatePageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = templateViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { after, before } = pageRequest(request.query, 'always')
    const view = await views.list(requireSession(request).teamId, { after, before })
    if (isFirstAgain(view.page, before)) return reply.redirect(ADDRESS, 303)
    return reply.send(templateListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.get(
    '/:id',
    { config: { access }, schema: { hide: true, params: TemplateParams, querystring: PreviewQuery } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const takeRoom = (bytes: number) => app.takeRoom(reply, teamId, bytes)
      const view = await views.template(teamId, request.params.id, { place: placeOf(request.query), takeRoom })
      const { problem } = view.preview
      return (problem ? refuse(reply, problem) : reply).send(templatePage({ ...view, note: noteOf(NOTES, request.query) }))
    },
  )

  app.get(
    '/:id/html',
    { config: { access }, schema: { hide: true, params: TemplateParams, querystring: PreviewQuery } },
    async (request, reply) => {
      const place = placeOf(request.query)
      const { teamId } = requireSession(request)
      const takeRoom = (bytes: number) => app.takeRoom(reply, teamId, bytes)
      const content = await views.html(teamId, request.params.id, { place, takeRoom })
      const { html } = await framedHtml(context.gateways, teamId, content, NO_IMAGES)
      return reply.headers(framedHeaders(place.remote)).send(withFrameScript(html))
    },
  )

  app.get('/:id/delete', { config: { access }, schema: { hide: true, params: TemplateParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const template = await views.find(teamId, request.params.id)
    return reply.send(deletePage({ teamName: await views.teamName(teamId), template, problem: null }))
  })

  // Where a refused form was shown: typing the address again leads back to the page.
  for (const form of ['publish', 'duplicate'])
    app.get(`/:id/${form}`, { config: { access }, schema: { hide: true, params: TemplateParams } }, async (request, reply) =>
      reply.redirect(templateAddress(await views.find(requireSession(request).teamId, request.params.id)), 303),
    )
}

const placeOf = (query: Static<typeof PreviewQuery>): PreviewPlace => ({
  version: query.version ?? null,
  typed: typedValues(query),
  view: query.view === 'text' ? 'text' : 'html',
  remote: query.remote === 'yes',
})

const NOTES: ReadonlyMap<string, string> = new Map([
  ['published', 'The newest version is published.'],
  ['duplicated', 'This is the copy.'],
  ['again', SENT_BEFORE],
  ['restored', 'The newest version says what the older one said. Publish it to send it.'],
  ['deleted', 'The template was deleted.'],
])
