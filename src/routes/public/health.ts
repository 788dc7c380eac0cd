import type { FastifyPluginAsync } from 'fastify'
import type { Context } from '../../context.ts'

export const healthRoutes: FastifyPluginAsync<Context> = async (app, { readiness }) => {
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
    const { isReady, checks } = await look()
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', checks })
  })
}
