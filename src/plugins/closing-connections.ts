// A connection whose request was in progress when the service began to stop would be kept alive after the answer, and keep the service alive.
import type { FastifyInstance } from 'fastify'

/** Register it after every hook that takes time to send an answer: the service may begin to stop meanwhile. */
export function closingConnections(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}
