import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'

/** Counts and times every answer, by operation. */
export function requestMetrics(app: FastifyInstance, { metrics }: Context): void {
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config.operation?.id ?? (request.is404 ? 'unknown' : 'other')
    metrics.requests.inc({ operation, status: String(reply.statusCode) })
    metrics.requestSeconds.observe({ operation }, reply.elapsedTime / 1_000)
  })
}
