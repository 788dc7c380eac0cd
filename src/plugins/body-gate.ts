// Bounds the memory that bodies can take: few large ones at once, each within a time.
import { Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../lib/failure.ts'

/** Smaller bodies cost little and need no place. */
const SMALL_BODY_BYTES_MAX = 1024 * 1024
const LARGE_BODIES_MAX = 2
const LARGE_BODY_TIMEOUT_MS = 60_000
const RETRY_AFTER_SECONDS = 5

export type BodyGateOptions = { timeoutMs?: number }

export function bodyGate(app: FastifyInstance, { timeoutMs = LARGE_BODY_TIMEOUT_MS }: BodyGateOptions = {}): void {
  let occupied = 0

  app.addHook('preParsing', async (request, reply, payload) => {
    if (!isLarge(request.headers)) return payload
    if (occupied >= LARGE_BODIES_MAX) {
      reply.header('connection', 'close')
      throw new Failure(
        'unavailable',
        `${LARGE_BODIES_MAX} requests with bodies over 1 MB are being read already. Please try again in a few seconds.`,
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      )
    }
    occupied += 1
    const timed = new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) })
    const timer = setTimeout(
      () => timed.destroy(new Failure('requestTimeout', `The request body did not arrive within ${timeoutMs / 1_000} seconds.`)),
      timeoutMs,
    )
    // A place is free again when its answer has left: until then the parsed body is still held.
    reply.raw.once('close', () => {
      clearTimeout(timer)
      occupied -= 1
    })
    timed.once('end', () => clearTimeout(timer))
    payload.once('error', (error) => timed.destroy(error))
    payload.once('close', () => timed.destroy())
    return Object.assign(payload.pipe(timed), { receivedEncodedLength: 0 })
  })
}

function isLarge(headers: { 'content-length'?: string | undefined; 'transfer-encoding'?: string | undefined }): boolean {
  if (headers['content-length'] !== undefined) return Number(headers['content-length']) > SMALL_BODY_BYTES_MAX
  return headers['transfer-encoding'] !== undefined
}
