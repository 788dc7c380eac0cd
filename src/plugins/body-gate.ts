// Bounds the memory that bodies can take: few large ones at once, each within a time, and so many bytes of smaller ones.
import { Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Failure } from '../lib/failure.ts'

const MIB = 1024 * 1024
/** Larger bodies need a place. */
const SMALL_BODY_BYTES_MAX = MIB
/** Smaller bodies together, by the length that they announce. Parsed they are held until they are answered, as a few times as much. */
const SMALL_BODIES_BYTES_MAX = 64 * MIB
/** Hardly more than the buffers of a connection: an ordinary email always gets through. */
const TINY_BODY_BYTES_MAX = 16 * 1024
const LARGE_BODIES_MAX = 2
const LARGE_BODY_TIMEOUT_MS = 60_000
const RETRY_AFTER_SECONDS = 5

export type BodyGateOptions = { timeoutMs?: number }

export function bodyGate(app: FastifyInstance, { timeoutMs = LARGE_BODY_TIMEOUT_MS }: BodyGateOptions = {}): void {
  let occupied = 0
  let smallBytes = 0

  app.addHook('preParsing', async (request, reply, payload) => {
    // A file is not held: plugins/uploads.ts has bounds of its own for them.
    if (request.routeOptions.config.operation?.upload) return payload
    // The end of a connection that ended before, while the key was looked up, is not announced again: a place would never be left.
    if (request.raw.socket.destroyed) return payload
    const bytes = smallBodyBytes(request.headers)
    if (bytes !== null) {
      if (bytes <= TINY_BODY_BYTES_MAX) return payload
      if (smallBytes + bytes > SMALL_BODIES_BYTES_MAX)
        throw full(reply, `Requests with bodies of ${SMALL_BODIES_BYTES_MAX / MIB} MB together are being read already.`)
      smallBytes += bytes
      reply.raw.once('close', () => {
        smallBytes -= bytes
      })
      return payload
    }
    if (occupied >= LARGE_BODIES_MAX) throw full(reply, `${LARGE_BODIES_MAX} requests with bodies over 1 MB are being read already.`)
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

/** The body is not read, and would be taken for the next request: the connection ends. */
function full(reply: FastifyReply, sentence: string): Failure {
  reply.header('connection', 'close')
  return new Failure('unavailable', `${sentence} Please try again in a few seconds.`, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

/** Null for a large body, and for one that does not say how long it is. */
function smallBodyBytes(headers: { 'content-length'?: string | undefined; 'transfer-encoding'?: string | undefined }): number | null {
  const length = headers['content-length']
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : null
  return Number(length) > SMALL_BODY_BYTES_MAX ? null : Number(length)
}
