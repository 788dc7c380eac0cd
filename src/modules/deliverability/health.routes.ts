import type { FastifyPluginAsync } from 'fastify'
import type { PlatformContext } from '../../http/platform.context.ts'
import { sampleDisk } from '../../io/metrics.ts'
import { notFound } from '../../lib/failure.ts'
import { createOperatorGate } from '../accounts/operator-gate.ts'
import type { DeliverabilityContext } from './deliverability.context.ts'
import { toDeliverability } from './deliverability.service.ts'

type Context = PlatformContext & DeliverabilityContext

export const healthRoutes: FastifyPluginAsync<Context> = async (app, { config, publicUrl, readiness, deliverability }) => {
  const isOperator = createOperatorGate({ host: config.host, publicUrl, token: config.metricsToken })
  const isPublic = { config: { access: 'public' as const }, schema: { hide: true } }
  let looking: ReturnType<Context['readiness']> | null = null

  /** Anyone may ask, as often as they like: requests that arrive during a check share its answer. */
  function look(): ReturnType<Context['readiness']> {
    looking ??= readiness().finally(() => {
      looking = null
    })
    return looking
  }

  app.get('/health/live', isPublic, async () => ({ status: 'ok' }))

  app.get('/health/ready', isPublic, async (_request, reply) => {
    const { isReady, checks, schema } = await look()
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', checks, ...(schema !== null && { schema }) })
  })

  // Monitors look at the status. Load balancers ask /health/ready, because a process whose mail is refused still accepts requests.
  app.get('/health/deliverability', isPublic, async (request, reply) => {
    if (!isOperator(request)) throw notFound('Page')
    const report = await deliverability()
    return reply
      .code(report.status === 'problem' ? 503 : 200)
      .header('cache-control', 'no-store')
      .send(toDeliverability(report))
  })
}

/** Prometheus series, for operators. */
export const metricsRoutes: FastifyPluginAsync<Context> = async (app, { config, publicUrl, gateways, metrics }) => {
  const isOperator = createOperatorGate({ host: config.host, publicUrl, token: config.metricsToken })

  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    if (!isOperator(request)) throw notFound('Page')
    await sampleDisk(metrics, gateways.diskSpace)
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}
