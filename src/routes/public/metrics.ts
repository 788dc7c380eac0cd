import type { FastifyPluginAsync } from 'fastify'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { createOperatorGate } from '../../lib/operator-gate.ts'

/** Prometheus series, for operators. */
export const metricsRoutes: FastifyPluginAsync<Context> = async (app, { config, publicUrl, gateways, metrics }) => {
  const isOperator = createOperatorGate({ host: config.host, publicUrl, token: config.metricsToken })

  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    if (!isOperator(request)) throw notFound('Page')
    // A missing disk must not hide the other series.
    metrics.diskFreeBytes.set(await gateways.diskSpace.freeBytes().catch(() => Number.NaN))
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}
