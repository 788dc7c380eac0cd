import type { FastifyInstance } from 'fastify'
import { Failure } from '../lib/failure.ts'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../lib/idempotency-keys.ts'

/** Reads Idempotency-Key for the operations that accept one. The accepting statement keeps its promise (repositories/idempotent-requests.ts). */
export function idempotency(app: FastifyInstance): void {
  app.decorateRequest('idempotencyKey', null)
  app.addHook('onRequest', async (request) => {
    if (!request.routeOptions.config.operation?.isIdempotent) return
    const key = request.headers['idempotency-key']
    if (key === undefined) return
    if (typeof key !== 'string' || key.length === 0 || key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
      throw new Failure('invalidIdempotencyKey', `The \`Idempotency-Key\` header must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`)
    }
    request.idempotencyKey = key
  })
}
