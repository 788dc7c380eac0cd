// The section of the console with the API requests of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { LOGS } from '../../modules/logs/logs.schema.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { logListPage } from './list-page.ts'
import { logPage } from './log-page.ts'
import { LogQuery, soughtIn } from './log-search.ts'
import { logViews } from './log-views.ts'

const access = 'public' as const
const Params = Type.Object({ id: Type.String() })

export const logSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(async (section) => logPages(section, context), { prefix: '/logs' })
}

const logPages: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = logViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: LogQuery } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { after } = pageRequest(request.query, 'always')
    const sought = soughtIn(request.query)
    const result = await attempt(() => views.list(teamId, { sought, after }))
    if ('done' in result) return reply.send(logListPage(result.done))
    const { problem } = result
    return refuse(reply, problem).send(logListPage({ ...(await views.form(teamId, sought)), problem }))
  })

  app.get('/:id', { config: { access }, schema: { hide: true, params: Params } }, async (request, reply) => {
    const { id } = request.params
    const view = isId(id) ? await views.log(requireSession(request).teamId, id.toLowerCase()) : null
    if (view === null) throw notFound(LOGS.noun)
    return reply.send(logPage(view))
  })
}
