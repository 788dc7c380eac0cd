import type { Socket } from 'node:net'
import { Readable } from 'node:stream'

export type BodyGates = {
  /** Called before the first byte and before the final dot. If it returns false, the stream ends with a BodyStopped error. */
  mayContinue: () => boolean
  /** The socket of the body. The final dot is requested only after everything before it has left the process. */
  socket: () => Socket | null
  onStart: () => void
  /** Called before the final dot is written. */
  onDot: () => void
}

/** The message may no longer be sent by this process. */
export class BodyStopped extends Error {
  constructor() {
    super('The message may no longer be sent by this process')
  }
}

/** How often a slow connection is checked for whether the body has left. */
const DRAIN_POLL_MS = 5

/**
 * The message as a stream with two gates. The server accepts a message only with its final dot, so a process that was stopped in the middle sends
 * nothing twice.
 */
export function guardBody(message: Buffer | Readable, gates: BodyGates): Readable {
  return Buffer.isBuffer(message) ? guardBuffer(message, gates) : Readable.from(guardStream(message, gates), { objectMode: false })
}

/** Without a generator, because nearly all messages use this path and promises would cost more than the rest of it. */
function guardBuffer(message: Buffer, gates: BodyGates): Readable {
  let isStarted = false
  return new Readable({
    read() {
      if (!isStarted) {
        isStarted = true
        if (!gates.mayContinue()) this.destroy(new BodyStopped())
        else {
          gates.onStart()
          this.push(message)
        }
        return
      }
      whenWritten(gates, () => {
        if (this.destroyed) return
        if (!gates.mayContinue()) this.destroy(new BodyStopped())
        else {
          gates.onDot()
          this.push(null)
        }
      })
    },
  })
}

async function* guardStream(message: Readable, gates: BodyGates): AsyncGenerator<Buffer> {
  if (!gates.mayContinue()) throw new BodyStopped()
  gates.onStart()
  yield* message
  await new Promise<void>((resolve) => whenWritten(gates, resolve))
  if (!gates.mayContinue()) throw new BodyStopped()
  gates.onDot()
}

/** The streams between here and the socket pass everything on within a turn of the event loop, unless the socket itself buffers bytes. */
function whenWritten(gates: BodyGates, proceed: () => void): void {
  const check = () => {
    const socket = gates.socket()
    if (socket !== null && !socket.destroyed && socket.writableLength > 0) setTimeout(check, DRAIN_POLL_MS)
    else proceed()
  }
  setImmediate(check)
}
