import type { FastifyPluginAsync } from 'fastify'
import type { Context } from '../../context.ts'

export const healthRoutes: FastifyPluginAsync<Context> = async (app, { readiness }) => {
  const isPublic = { config: { access: 'public' as const }, schema: { hide: true } }

  app.get('/health/live', isPublic, async () => ({ status: 'ok' }))

  app.get('/health/ready', isPublic, async (_request, reply) => {
    const { isReady, checks } = await readiness()
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', checks })
  })
}
