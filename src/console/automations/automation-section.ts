// The section of the console with the automations of a team: what a signed-in person can read.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { isFirstAgain, placeFields } from '../shell/pager.ts'
import { automationPage } from './automation-page.ts'
import { automationViews } from './automation-views.ts'
import { ADDRESS, automationAddress } from './automation-words.ts'
import { automationListPage } from './list-page.ts'
import { runPage } from './run-page.ts'

const access = 'public' as const

const Params = Type.Object({ id: Type.String() })
const RunParams = Type.Object({ id: Type.String(), runId: Type.String() })
const PlaceQuery = Type.Object(placeFields)

export const automationSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = automationViews(context)

  app.get(ADDRESS_HERE, { config: { access }, schema: { hide: true, querystring: PlaceQuery } }, async (request, reply) => {
    const { after, before } = pageRequest(request.query, 'always')
    const view = await views.list(requireSession(request).teamId, { after, before })
    if (isFirstAgain(view.page, before)) return reply.redirect(ADDRESS, 303)
    return reply.send(automationListPage(view))
  })

  app.get(
    `${ADDRESS_HERE}/:id`,
    { config: { access }, schema: { hide: true, params: Params, querystring: PlaceQuery } },
    async (request, reply) => {
      const { after, before } = pageRequest(request.query, 'always')
      const view = await views.automation(requireSession(request).teamId, request.params.id, { after, before })
      if (isFirstAgain(view.runs, before)) return reply.redirect(automationAddress(view.automation), 303)
      return reply.send(automationPage(view))
    },
  )

  app.get(`${ADDRESS_HERE}/:id/runs/:runId`, { config: { access }, schema: { hide: true, params: RunParams } }, async (request, reply) => {
    const { id, runId } = request.params
    return reply.send(runPage(await views.run(requireSession(request).teamId, id, runId)))
  })
}

/** The address below that of the console. */
const ADDRESS_HERE = '/automations'
