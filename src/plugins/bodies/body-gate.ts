// Bounds the memory that the bodies of operations can take, and how long one may take to arrive: a team has a share of the room, and a body a pace.
// Other routes never come here. They take forms, which are cut off at BODY_BYTES_MAX_WITHOUT_OPERATION, and no room.
import { Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { createBytePace } from '../../lib/limits/byte-pace.ts'
import { createPieceGatherer } from '../../lib/limits/piece-gatherer.ts'
import { createSharedRoom, type SharedRoom } from '../../lib/limits/shared-room.ts'

const MIB = 1024 * 1024
/** Of routes that are no operations: pages and forms, which anyone may ask for. */
export const BODY_BYTES_MAX_WITHOUT_OPERATION = 16 * 1024
/** Hardly more than the buffers of a connection: an ordinary email always gets through. */
const TINY_BODY_BYTES_MAX = 16 * 1024
/** Larger bodies have a room of their own, so that they do not keep ordinary mail out. */
const SMALL_BODY_BYTES_MAX = MIB
/** Smaller bodies together, by the length that they announce. Parsed they are held until they are answered, as a few times as much. */
const SMALL_BODIES_BYTES_MAX = 64 * MIB
const SMALL_BODIES_PER_TEAM_BYTES_MAX = SMALL_BODIES_BYTES_MAX / 2
/** Of the largest size; one team may send two at once, and leaves room for one of another. */
const LARGEST_BODIES_MAX = 3
const LARGEST_BODIES_PER_TEAM_MAX = 2
/** A large body counts as no less: parsed, one of 1 MB can take as much. */
const LARGE_BODY_COUNTED_BYTES_MIN = 8 * MIB
const BODY_TIMEOUT_MS = 60_000
/** A sender who is slower holds room for next to nothing. */
const BODY_BYTES_PER_SECOND_MIN = 16 * 1024
/** How far a body may fall behind that; the longest silence. */
const BEHIND_MS_MAX = 10_000
const JUDGED_EVERY_MS = 1_000
/** Bodies are held in pieces of this size, however small the chunks or packets are in which they come. */
const PIECE_BYTES = 16 * 1024
const RETRY_AFTER_SECONDS = 5
/** Whose bodies are never read. */
const BODYLESS_METHODS = new Set(['GET', 'HEAD'])

export type BodyGateOptions = { timeoutMs?: number; judgedEveryMs?: number }

export function bodyGate(
  app: FastifyInstance,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { timeoutMs = BODY_TIMEOUT_MS, judgedEveryMs = JUDGED_EVERY_MS }: BodyGateOptions = {},
): void {
  const bytesMax = config.requestBytesMax
  const small = createSharedRoom({ bytesMax: SMALL_BODIES_BYTES_MAX, shareBytesMax: SMALL_BODIES_PER_TEAM_BYTES_MAX })
  const large = createSharedRoom({ bytesMax: LARGEST_BODIES_MAX * bytesMax, shareBytesMax: LARGEST_BODIES_PER_TEAM_MAX * bytesMax })
  const largeBytesMin = Math.min(LARGE_BODY_COUNTED_BYTES_MIN, bytesMax)

  app.addHook('onRoute', (route) => {
    if (route.config?.operation && route.config.access !== 'public') route.bodyLimit ??= bytesMax
  })
  app.addHook('preParsing', async (request, reply, payload) => {
    const { holder } = request
    if (!holder || !isGated(request)) return payload
    const announced = announcedBytes(request)
    // What is too large is refused by its length, with its own sentence.
    if (announced !== null && (announced <= TINY_BODY_BYTES_MAX || announced > bytesMax)) return payload
    const isSmall = announced !== null && announced <= SMALL_BODY_BYTES_MAX
    const place = createPlace(isSmall ? small : large, holder.teamId)
    // In chunks, a body takes room when it turns out to be no ordinary email.
    const roomFor = (bytes: number) => (isSmall ? bytes : bytes <= TINY_BODY_BYTES_MAX ? 0 : Math.max(bytes, largeBytesMin))
    const refusal = announced === null ? null : place.growTo(roomFor(announced))
    if (refusal) throw notRead(reply, refusal)

    const { arrived, behindMs } = createBytePace({ bytesPerSecond: BODY_BYTES_PER_SECOND_MIN, clock })
    const gatherer = createPieceGatherer(PIECE_BYTES)
    let bytes = 0
    const watched = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        arrived(chunk.length)
        const full = announced === null ? place.growTo(roomFor(Math.min(bytes, bytesMax))) : null
        if (full) return done(notRead(reply, full))
        for (const piece of gatherer.add(chunk)) watched.push(piece)
        done()
      },
      flush(done) {
        for (const piece of gatherer.rest()) watched.push(piece)
        done()
      },
    })
    const end = (sentence: string) => watched.destroy(new Failure('requestTimeout', sentence))
    const deadline = setTimeout(() => end(`The request body did not arrive within ${timeoutMs / 1_000} seconds.`), timeoutMs)
    const judging = setInterval(() => behindMs() > BEHIND_MS_MAX && end(TOO_SLOW), judgedEveryMs)
    const stopWatching = () => {
      clearTimeout(deadline)
      clearInterval(judging)
    }
    watched.once('close', stopWatching)
    watched.once('end', stopWatching)
    // No one hears how a body ends that is refused unread.
    watched.on('error', () => {})
    // The room is free again when the answer has left: until then the parsed body is still held.
    reply.raw.once('close', () => {
      stopWatching()
      place.leave()
    })
    payload.once('error', (error) => watched.destroy(error))
    payload.once('close', () => payload.readableEnded || watched.destroy())
    return Object.assign(payload.pipe(watched), { receivedEncodedLength: 0 })
  })
}

const TOO_SLOW = `The request body arrives too slowly: at least ${BODY_BYTES_PER_SECOND_MIN / 1024} KB a second are needed, and a pause may last ${BEHIND_MS_MAX / 1_000} seconds.`

function isGated({ method, raw, routeOptions }: FastifyRequest): boolean {
  const { operation, access } = routeOptions.config
  // A file is not held: plugins/bodies/uploads.ts has bounds of its own for them.
  if (!operation || operation.upload || access === 'public' || BODYLESS_METHODS.has(method)) return false
  // The end of a connection that ended before, while the key was looked up, is not announced again: its room would never be left.
  return !raw.socket.destroyed
}

/** Null for a body that does not say how long it is. */
function announcedBytes({ headers }: FastifyRequest): number | null {
  const length = headers['content-length']
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : null
  return Number(length)
}

/** What one body takes of a room. */
function createPlace(room: SharedRoom, team: string) {
  let taken = 0
  return {
    /** Null: there is so much room. */
    growTo(bytes: number): Failure | null {
      if (bytes <= taken) return null
      const answer = room.take(team, bytes - taken)
      if (answer !== 'taken') return answer === 'full' ? full('Requests', room.bytesMax) : full('Requests of your team', room.shareBytesMax)
      taken = bytes
      return null
    },
    leave(): void {
      room.giveBack(team, taken)
      taken = 0
    },
  }
}

const full = (whose: string, bytes: number): Failure =>
  new Failure(
    'unavailable',
    `${whose} with bodies of ${Math.floor(bytes / MIB)} MB together are being read already. Please try again in a few seconds.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

/** The body is not read, and would be taken for the next request: the connection ends. */
function notRead(reply: FastifyReply, refusal: Failure): Failure {
  reply.header('connection', 'close')
  return refusal
}
