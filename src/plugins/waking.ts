import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'

/** Requests that only read. */
const READS = ['GET', 'HEAD', 'OPTIONS']

/** What a request has changed may be an event for a webhook: it is sent at once. */
export function waking(app: FastifyInstance, { wakeWorkers }: Context): void {
  app.addHook('onResponse', async (request, reply) => {
    if (!READS.includes(request.method) && reply.statusCode < 400) wakeWorkers()
  })
}
