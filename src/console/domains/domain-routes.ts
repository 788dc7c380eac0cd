// What a signed-in person can read: the list, a domain, and its parts that update themselves.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { isFirstAgain, placeFields } from '../shell/pager.ts'
import { deletePage } from './delete-page.ts'
import { domainFragment, domainPage } from './domain-page.ts'
import { domainViews, listRequest } from './domain-views.ts'
import { domainListPage } from './list-page.ts'

const access = 'public' as const

const ListQuery = Type.Object({
  ...placeFields,
  deleted: Type.Optional(Type.Unknown()),
})
export const DomainParams = Type.Object({ id: Type.String() })
const DomainQuery = Type.Object({ saved: Type.Optional(Type.Unknown()) })
const ProgressQuery = Type.Object({ records: Type.Optional(Type.String()) })

export const domainPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { clock, config } = context
  const views = domainViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const wanted = listRequest(request.query)
    const view = await views.list(requireSession(request).teamId, wanted)
    if (isFirstAgain(view.page, wanted.before)) return reply.redirect('/console/domains', 303)
    return reply.send(domainListPage({ ...view, note: request.query.deleted === undefined ? '' : 'The domain was deleted.' }))
  })

  app.get(
    '/:id',
    { config: { access }, schema: { hide: true, params: DomainParams, querystring: DomainQuery } },
    async (request, reply) => {
      const view = await views.domain(requireSession(request).teamId, request.params.id)
      return reply.send(domainPage({ ...view, note: request.query.saved === undefined ? '' : 'The settings were saved.' }))
    },
  )

  app.get(
    '/:id/progress',
    { config: { access }, schema: { hide: true, params: DomainParams, querystring: ProgressQuery } },
    async (request, reply) =>
      reply.sendPart(async () => {
        const domain = await views.find(requireSession(request).teamId, request.params.id)
        return domainFragment(domain, request.query.records ?? '', clock.now())
      }),
  )

  app.get('/:id/delete', { config: { access }, schema: { hide: true, params: DomainParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const domain = await views.find(teamId, request.params.id)
    return reply.send(
      deletePage({ teamName: await views.teamName(teamId), domain, isSenderChecked: config.senderPolicy === 'verified', problem: null }),
    )
  })
}
