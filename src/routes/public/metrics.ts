import type { FastifyPluginAsync } from 'fastify'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { sampleDisk } from '../../lib/metrics.ts'
import { createOperatorGate } from '../../lib/operator-gate.ts'

/** Prometheus series, for operators. */
export const metricsRoutes: FastifyPluginAsync<Context> = async (app, { config, publicUrl, gateways, metrics }) => {
  const isOperator = createOperatorGate({ host: config.host, publicUrl, token: config.metricsToken })

  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    if (!isOperator(request)) throw notFound('Page')
    await sampleDisk(metrics, gateways.diskSpace)
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}
