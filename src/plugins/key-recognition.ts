import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Failure } from '../lib/failure.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns a Failure of the kind `invalidApiKey` for an unknown key, which the caller counts, or `rateLimited`. */
    recognizeKey: (request: FastifyRequest, token: string) => Promise<KeyHolder | Failure>
  }
}

export function keyRecognition(app: FastifyInstance, { keyRecognition: { recognize } }: Context): void {
  app.decorate('recognizeKey', (request, token) => recognize(request.ip, token))
}
