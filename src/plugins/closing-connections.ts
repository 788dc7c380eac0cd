// A connection that is kept alive after an answer could get another request when the service no longer takes any, and would keep the service alive.
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'

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
