import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'

/**
 * Lets the routes of this scope accept forms as browsers send them. A larger one is refused with 413. If a field occurs twice, the last one counts.
 */
export async function takeForms(app: FastifyInstance, { bytesMax }: { bytesMax: number }): Promise<void> {
  // A form escapes most characters, so each is searched for those that cannot be stored.
  app.addHook('onRequest', async (request) => {
    request.hasEscapes = true
  })
  await app.register(formbody, { bodyLimit: bytesMax, parser: (text) => Object.fromEntries(new URLSearchParams(text)) })
}
