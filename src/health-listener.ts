// What operators and orchestrators ask of a process that does not serve the API: whether it can work, and its metrics.
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Context } from './context.ts'
import { closingConnections } from './plugins/closing-connections.ts'
import { errors } from './plugins/errors.ts'
import { healthRoutes } from './routes/public/health.ts'
import { metricsRoutes } from './routes/public/metrics.ts'

/** Nothing that is asked here has a body. */
const BODY_BYTES_MAX = 1_024
const REQUEST_TIMEOUT_MS = 10_000

/** Not listening yet. */
export async function createHealthListener(context: Context): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
  })
  errors(app, context)
  closingConnections(app, context)
  await app.register(healthRoutes, context)
  await app.register(metricsRoutes, context)
  return app
}
