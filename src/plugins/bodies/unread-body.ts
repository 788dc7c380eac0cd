// Lets a client read why its body is refused. A connection that is closed while bytes arrive is reset, and the reset overtakes the answer. So the
// rest is read and discarded, up to limits of time and size that no client reaches that looks for its answer.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { PlatformContext } from '../../http/platform.context.ts'
import { isUnasked } from './expected-bodies.ts'
import { findUpload } from './uploads.ts'

type Context = PlatformContext

const MIB = 1024 * 1024
/** Counted from the answer. */
const UNREAD_MS_MAX = 30_000
/**
 * For a file, its greatest permitted size. For other bodies twice that, because many clients send all of a body that is too large before they look
 * for the answer.
 */
const UNREAD_BODIES_MAX = 2
/** The connection survives a refused body unless it announces more than this, because then its client may stop at once. */
const KEPT_ALIVE_BODY_BYTES_MAX = MIB

export type UnreadBodyOptions = { msMax?: number }

type UnreadBounds = { bytesMax: number; msMax: number }

export function unreadBodies(
  app: FastifyInstance,
  { config }: Pick<Context, 'config'>,
  { msMax = UNREAD_MS_MAX }: UnreadBodyOptions = {},
): void {
  app.addHook('onSend', async (request, reply) => {
    if (request.raw.complete) return
    if (isUnasked(request) || Number(request.headers['content-length'] ?? 0) > KEPT_ALIVE_BODY_BYTES_MAX)
      reply.header('connection', 'close')
    const bytesMax = findUpload(request)?.bytesMax ?? UNREAD_BODIES_MAX * config.requestBytesMax
    throwRestAway(reply.raw, { bytesMax, msMax })
    if (reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive) closeWhenRead(reply.raw)
  })
}

/** Ends a connection whose bytes did not become a request. */
export function endUnread(socket: Socket, answer: string, { msMax = UNREAD_MS_MAX }: UnreadBodyOptions = {}): void {
  socket.end(answer)
  destroyAfter(socket, msMax)
}

function throwRestAway(response: ServerResponse, { bytesMax, msMax }: UnreadBounds): void {
  const { req: request } = response
  const { socket } = request
  let bytes = 0
  // The reader has stopped reading, and would block the rest.
  request.unpipe()
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bytesMax) socket.destroy()
  })
  request.resume()
  response.once('finish', () => {
    if (request.readableEnded) return
    const timer = destroyAfter(socket, msMax)
    request.once('end', () => clearTimeout(timer))
  })
}

/** Our half of the connection ends once the answer is written (RFC 9112, section 9.6), and the other half with the body. */
function closeWhenRead({ req: request }: ServerResponse): void {
  const { socket } = request
  const closeNow = socket.destroySoon.bind(socket)
  // Node calls this as soon as the last answer of a connection is written.
  socket.destroySoon = () => {
    if (request.readableEnded || request.destroyed) return closeNow()
    socket.end()
    request.once('end', () => socket.destroy())
  }
}

/** The process need not wait for it. */
const destroyAfter = (socket: Socket, ms: number) => setTimeout(() => socket.destroy(), ms).unref()
