import type { FastifyPluginAsync } from 'fastify'
import type { Context } from '../../context.ts'

/** Partitioned tables, and the days that must have a partition: today and tomorrow. */
export const healthRoutes: FastifyPluginAsync<Context> = async (app, { readiness }) => {
  const isPublic = { config: { access: 'public' as const }, schema: { hide: true } }

  app.get('/health/live', isPublic, async () => ({ status: 'ok' }))

  app.get('/health/ready', isPublic, async (_request, reply) => {
    const checks = await readiness()
    const isReady = Object.values(checks).every((check) => check === 'ok')
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', checks })
  })
}
