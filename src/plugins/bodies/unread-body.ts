// Lets a client read why its body is not wanted: a connection that is closed while bytes arrive is reset, and that overtakes the answer.
// What still arrives is read and thrown away, so long and so much of it that no client that looks for its answer is cut off.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'

const MIB = 1024 * 1024
/** After the answer. */
const UNREAD_MS_MAX = 30_000
/** Of a file as much as it may have. Of other bodies twice as much: many clients send all of what is too large before they look for the answer. */
const UNREAD_BODIES_MAX = 2
/** The connection outlives a body that is refused unless it announces more: then its client may stop at once. */
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
    if (Number(request.headers['content-length'] ?? 0) > KEPT_ALIVE_BODY_BYTES_MAX) reply.header('connection', 'close')
    const bytesMax = request.routeOptions.config.operation?.upload?.bytesMax ?? UNREAD_BODIES_MAX * config.requestBytesMax
    throwRestAway(reply.raw, { bytesMax, msMax })
    if (reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive) closeWhenRead(reply.raw)
  })
}

/** For a connection whose request did not become one. */
export function endUnread(socket: Socket, answer: string, { msMax = UNREAD_MS_MAX }: UnreadBodyOptions = {}): void {
  socket.end(answer)
  destroyAfter(socket, msMax)
}

function throwRestAway(response: ServerResponse, { bytesMax, msMax }: UnreadBounds): void {
  const { req: request } = response
  const { socket } = request
  let bytes = 0
  // Whoever was to read it reads no more, and would hold the rest up.
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

/** Once the answer is written our half of the connection ends (RFC 9112, section 9.6), and the other half with the body. */
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
