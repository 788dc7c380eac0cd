// Bounds the memory that the bodies of operations can take, with what is made of them, and how long a body may take to arrive: a team has a share of the room, and a body has
// a pace. Other routes do not use this. They accept forms, which are cut off at BODY_BYTES_MAX_WITHOUT_OPERATION and reserve no room.
import type { ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isForPeople } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure } from '../../lib/failure.ts'
import { createBytePace, createChunkBuffer } from '../../lib/limits/bytes.ts'
import { createSharedRoom, type RoomAnswer, type SharedRoom } from '../../lib/limits/shared-room.ts'
import type { AccountsContext } from '../../modules/accounts/accounts.context.ts'

type Context = PlatformContext & AccountsContext

const MIB = 1024 * 1024
/** For routes that are no operations: pages and forms, which anyone may request. */
export const BODY_BYTES_MAX_WITHOUT_OPERATION = 16 * 1024
/** An operator's bodies are a few short fields, and count for no team. */
const BODY_BYTES_MAX_WITHOUT_TEAM = 16 * 1024
/** Hardly more than the buffers of a connection, so an ordinary email always gets through. */
const TINY_BODY_BYTES_MAX = 16 * 1024
/** Larger bodies have a room of their own, so that they do not block ordinary mail. */
const SMALL_BODY_BYTES_MAX = MIB
/** One team takes no more of the room for small bodies, so that there is some left for another. */
const SMALL_BODIES_PER_TEAM = 1 / 2
/** How long a request waits for room, with its body unread. */
const ROOM_WAIT_MS_MAX = 30_000
/** A large body counts as at least this, because one of 1 MB can take as much once parsed. */
const LARGE_BODY_COUNTED_BYTES_MIN = 8 * MIB
const BODY_TIMEOUT_MS = 60_000
/** A slower sender would hold room for next to nothing. */
const BODY_BYTES_PER_SECOND_MIN = 16 * 1024
/** How far a body may fall behind that pace, and so the longest silence. */
const BEHIND_MS_MAX = 10_000
const CHECKED_EVERY_MS = 1_000
/** Bodies are held in pieces of this size, however small the chunks or packets are. */
const PIECE_BYTES = 16 * 1024
const RETRY_AFTER_SECONDS = 5
/** Methods whose bodies are never read. */
const BODYLESS_METHODS = new Set(['GET', 'HEAD'])

declare module 'fastify' {
  interface FastifyInstance {
    /** For what the request of a team makes, until it is answered. */
    takeRoom(reply: FastifyReply, teamId: string, bytes: number): void
  }
}

export type BodyGateOptions = { timeoutMs?: number; checkedEveryMs?: number; roomWaitMsMax?: number }

export function bodyGate(
  app: FastifyInstance,
  {
    config,
    clock,
    largeContent: large,
    keyRecognition: { countBytes },
  }: Pick<Context, 'config' | 'clock' | 'largeContent' | 'keyRecognition'>,
  { timeoutMs = BODY_TIMEOUT_MS, checkedEveryMs = CHECKED_EVERY_MS, roomWaitMsMax = ROOM_WAIT_MS_MAX }: BodyGateOptions = {},
): void {
  const bytesMax = config.requestBytesMax
  const { smallBodiesBytes } = config.memory
  const small = createSharedRoom({ bytesMax: smallBodiesBytes, shareBytesMax: smallBodiesBytes * SMALL_BODIES_PER_TEAM })
  const largeBytesMin = Math.min(LARGE_BODY_COUNTED_BYTES_MIN, bytesMax)

  // A small body can name what makes it large, such as a template. What is made of it takes room like a large body.
  app.decorate('takeRoom', ({ raw }: FastifyReply, teamId: string, bytes: number) => {
    if (bytes <= TINY_BODY_BYTES_MAX) return
    const place = createPlace(large, teamId)
    const refusal = place.growTo(bytes)
    if (refusal) throw refusal
    if (raw.closed) place.leave()
    else raw.once('close', place.leave)
  })

  app.addHook('onRoute', (route) => {
    if (route.config?.access === 'operator' || isForPeople(route.config?.access)) route.bodyLimit = BODY_BYTES_MAX_WITHOUT_TEAM
    else if (route.config?.operation && route.config.access !== 'public') route.bodyLimit ??= bytesMax
  })
  app.addHook('preParsing', async (request, reply, payload) => {
    const { holder } = request
    if (!holder || !isGated(request)) return payload
    const announced = announcedBytes(request)
    // A body that is too large is refused by its length, with a sentence of its own.
    if (announced !== null && announced > bytesMax) return payload
    const isTiny = announced !== null && announced <= TINY_BODY_BYTES_MAX
    const tooFast = announced === 0 ? null : countBytes(holder.teamId, isTiny ? announced : 0)
    if (tooFast) throw notRead(reply, tooFast)
    if (isTiny) return payload
    const isSmall = announced !== null && announced <= SMALL_BODY_BYTES_MAX
    const place = createPlace(isSmall ? small : large, holder.teamId)
    // A body in chunks reserves room once it is larger than an ordinary email.
    const roomFor = (bytes: number) => (isSmall ? bytes : bytes <= TINY_BODY_BYTES_MAX ? 0 : Math.max(bytes, largeBytesMin))
    const refusal = announced === null ? null : await place.growSoonTo(roomFor(announced), reply.raw, roomWaitMsMax)
    if (refusal || request.raw.socket.destroyed) {
      place.leave()
      throw notRead(reply, refusal ?? GONE)
    }
    if (announced !== null) countBytes(holder.teamId, announced)

    const { arrived, behindMs } = createBytePace({ bytesPerSecond: BODY_BYTES_PER_SECOND_MIN, clock })
    const buffer = createChunkBuffer(PIECE_BYTES)
    let bytes = 0
    const watched = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        arrived(chunk.length)
        const full = announced === null ? place.growTo(roomFor(Math.min(bytes, bytesMax))) : null
        if (full) return done(notRead(reply, full))
        for (const piece of buffer.add(chunk)) watched.push(piece)
        done()
      },
      flush(done) {
        if (announced === null) countBytes(holder.teamId, bytes)
        for (const piece of buffer.rest()) watched.push(piece)
        done()
      },
    })
    const end = (sentence: string) => watched.destroy(new Failure('requestTimeout', sentence))
    const deadline = setTimeout(() => end(`The request body did not arrive within ${timeoutMs / 1_000} seconds.`), timeoutMs)
    const checking = setInterval(() => behindMs() > BEHIND_MS_MAX && end(TOO_SLOW), checkedEveryMs)
    const stopWatching = () => {
      clearTimeout(deadline)
      clearInterval(checking)
    }
    watched.once('close', stopWatching)
    watched.once('end', stopWatching)
    // No one listens for the end of a body that is refused unread.
    watched.on('error', () => {})
    // The room is free when the answer has been sent, because the parsed body is held until then.
    reply.raw.once('close', () => {
      stopWatching()
      place.leave()
    })
    payload.once('error', (error) => watched.destroy(error))
    payload.once('close', () => payload.readableEnded || watched.destroy())
    return Object.assign(payload.pipe(watched), { receivedEncodedLength: 0 })
  })
}

const GONE = new Failure('unavailable', 'The client closed the connection while its request waited.')

const TOO_SLOW = `The request body arrives too slowly: at least ${BODY_BYTES_PER_SECOND_MIN / 1024} KB a second are needed, and a pause may last ${BEHIND_MS_MAX / 1_000} seconds.`

function isGated({ method, raw, routeOptions }: FastifyRequest): boolean {
  const { operation, access } = routeOptions.config
  // A file is not held in memory; plugins/bodies/uploads.ts has limits for files.
  if (!operation || operation.upload || access === 'public' || BODYLESS_METHODS.has(method)) return false
  // A connection that ended earlier, while the key was looked up, does not announce its end again. Its room would never be freed.
  return !raw.socket.destroyed
}

/** Null if the body does not announce its length. */
function announcedBytes({ headers }: FastifyRequest): number | null {
  const length = headers['content-length']
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : null
  return Number(length)
}

/** What one body takes of a room. */
function createPlace(room: SharedRoom, team: string) {
  let taken = 0

  function note(answer: RoomAnswer, bytes: number): Failure | null {
    if (answer !== 'taken') return answer === 'full' ? full('Requests', room.bytesMax) : full('Requests of your team', room.shareBytesMax)
    taken = bytes
    return null
  }

  return {
    /** Null if there is enough room. */
    growTo: (bytes: number): Failure | null => (bytes <= taken ? null : note(room.take(team, bytes - taken), bytes)),
    /** Waits for room. A client that is gone waits no longer. */
    async growSoonTo(bytes: number, answer: ServerResponse, msMax: number): Promise<Failure | null> {
      const gone = new AbortController()
      const onClose = () => gone.abort()
      answer.once('close', onClose)
      try {
        return note(await room.takeSoon(team, bytes - taken, { msMax, signal: gone.signal }), bytes)
      } finally {
        answer.off('close', onClose)
      }
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

/** The body is not read, and would be taken for the next request, so the connection ends. */
function notRead(reply: FastifyReply, refusal: Failure): Failure {
  reply.header('connection', 'close')
  return refusal
}
