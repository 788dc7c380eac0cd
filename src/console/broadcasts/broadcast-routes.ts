// What a signed-in person can read: the list, and a broadcast with its preview and progress.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { framedHeaders, withFrameScript } from '../../modules/sharing/frame/email-frame.ts'
import { framedHtml } from '../../modules/sharing/frame/framed-html.ts'
import { NO_IMAGES } from '../../modules/sharing/inline-images.routes.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { SENT_BEFORE } from '../shell/form-ids.ts'
import { noteOf } from '../shell/notes.ts'
import { isFirstAgain, placeFields } from '../shell/pager.ts'
import { broadcastPage, progressFragment } from './broadcast-page.ts'
import { broadcastViews } from './broadcast-views.ts'
import { ADDRESS, broadcastAddress } from './broadcast-words.ts'
import { broadcastListPage } from './list-page.ts'

const access = 'public' as const

export const BroadcastParams = Type.Object({ id: Type.String() })
const ListQuery = Type.Object({
  ...placeFields,
  done: Type.Optional(Type.String()),
})
const PageQuery = Type.Object({ contact: Type.Optional(Type.String()), done: Type.Optional(Type.String()) })

export const broadcastPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = broadcastViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { after, before } = pageRequest(request.query, 'always')
    const view = await views.list(requireSession(request).teamId, { after, before })
    if (isFirstAgain(view.page, before)) return reply.redirect(ADDRESS, 303)
    return reply.send(broadcastListPage({ ...view, note: noteOf(NOTES, request.query) }))
  })

  app.get(
    '/:id',
    { config: { access }, schema: { hide: true, params: BroadcastParams, querystring: PageQuery } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const { contact = '' } = request.query
      const result = await attempt(() => views.broadcast(teamId, request.params.id, contact.trim()))
      if ('done' in result) return reply.send(broadcastPage({ ...result.done, note: noteOf(NOTES, request.query) }))
      const { problem } = result
      return refuse(reply, problem).send(broadcastPage({ ...(await views.broadcast(teamId, request.params.id, '')), problem }))
    },
  )

  app.get('/:id/progress', { config: { access }, schema: { hide: true, params: BroadcastParams } }, async (request, reply) =>
    reply.sendPart(async () => progressFragment(await views.progress(requireSession(request).teamId, request.params.id))),
  )

  app.get(
    '/:id/html',
    { config: { access }, schema: { hide: true, params: BroadcastParams, querystring: PageQuery } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const broadcast = await views.find(teamId, request.params.id)
      const contact = await views.contactNamed(teamId, (request.query.contact ?? '').trim())
      const preview = await context.previewOf({ teamId, emailId: null, broadcast, contact, address: contact.email })
      const { html } = await framedHtml(context.gateways, teamId, preview.html ?? '', NO_IMAGES)
      return reply.headers(framedHeaders(false)).send(withFrameScript(html))
    },
  )

  // Where a refused form was shown: typing the address again leads back to the page.
  for (const form of ['send', 'pause', 'resume', 'cancel', 'test'])
    app.get(`/:id/${form}`, { config: { access }, schema: { hide: true, params: BroadcastParams } }, async (request, reply) =>
      reply.redirect(broadcastAddress(await views.find(requireSession(request).teamId, request.params.id)), 303),
    )
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['send', 'The broadcast is being sent.'],
  ['pause', 'The broadcast is paused. Emails that have begun continue.'],
  ['resume', 'The broadcast continues.'],
  ['cancel', 'The broadcast is canceled. Emails that have begun continue.'],
  ['draft', 'The broadcast is a draft again.'],
  ['test', 'The test is on its way.'],
  ['saved', 'The broadcast is saved.'],
  ['again', SENT_BEFORE],
])
