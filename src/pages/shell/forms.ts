import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'

/** Lets the routes of this scope take forms as browsers send them; a larger one is refused with 413. Of a field that is there twice, the last counts. */
export async function takeForms(app: FastifyInstance, { bytesMax }: { bytesMax: number }): Promise<void> {
  await app.register(formbody, { bodyLimit: bytesMax, parser: (text) => Object.fromEntries(new URLSearchParams(text)) })
}
