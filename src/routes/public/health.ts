import type { FastifyPluginAsync } from 'fastify'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { createOperatorGate } from '../../lib/operator-gate.ts'
import { toDeliverability } from '../../serializers/deliverability.ts'

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
