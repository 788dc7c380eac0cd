// A connection that is kept alive after an answer could get another request when the service no longer takes any, and would keep the service alive.
import type { FastifyInstance } from 'fastify'
import type { PlatformContext } from '../http/platform.context.ts'

type Context = PlatformContext

/** Register it after every hook that takes time to send an answer: the service may begin to stop meanwhile. */
export function closingConnections(app: FastifyInstance, { isDraining }: Pick<Context, 'isDraining'>): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing || isDraining()) reply.header('connection', 'close')
  })
}

/** Requests that only read. */
const READS = ['GET', 'HEAD', 'OPTIONS']

/** What a request has changed may be an event for a webhook: it is sent at once. */
export function waking(app: FastifyInstance, { wakeWorkers }: Context): void {
  app.addHook('onResponse', async (request, reply) => {
    if (!READS.includes(request.method) && reply.statusCode < 400) wakeWorkers()
  })
}
