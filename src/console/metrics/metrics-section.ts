// The section of the console with the metrics of a team.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { metricsPage } from './metrics-page.ts'
import { readMetricsView } from './metrics-view.ts'

const TEXT_LENGTH_MAX = 100
const Text = Type.Optional(Type.String({ maxLength: TEXT_LENGTH_MAX }))

const MetricsQuery = Type.Object({ span: Text, zone: Text, domain: Text })

export const metricsSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true, querystring: MetricsQuery } }, async (request, reply) =>
    reply.send(metricsPage(await readMetricsView(context, requireSession(request).teamId, request.query))),
  )
}
