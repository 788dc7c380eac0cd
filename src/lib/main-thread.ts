// Keeps work on long texts away from the thread that answers everyone.
import { setImmediate } from 'node:timers/promises'

/** UTF-8 bytes of a text. A longer one is rendered, read as HTML, tracked and encoded in a thread of its own. Most emails are shorter. */
export const MAIN_THREAD_BYTES_MAX = 64 * 1024

export const isLong = (text: string): boolean =>
  text.length > MAIN_THREAD_BYTES_MAX || (3 * text.length > MAIN_THREAD_BYTES_MAX && Buffer.byteLength(text) > MAIN_THREAD_BYTES_MAX)

/** The beginning that is not long: all of most texts. */
export const shortBeginning = (text: string): string =>
  isLong(text) ? text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(MAIN_THREAD_BYTES_MAX)).read) : text

/** Whether the strings in a value have more characters than the limit has bytes. */
export function holdsLongText(value: unknown): boolean {
  const left = [value]
  let length = 0
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') length += one.length
    else if (typeof one === 'object' && one !== null) for (const [key, each] of Object.entries(one)) left.push(key, each)
    else length += PLAIN_LENGTH
    if (length > MAIN_THREAD_BYTES_MAX) return true
  }
  return false
}

/** About what a number has. */
const PLAIN_LENGTH = 8

type OnLongText = (error: Error) => void

/** Each service that runs on this thread has one. Other threads have a list of their own, which is empty. */
const guards: OnLongText[] = []

/** Tells of each long text that is worked on here, until the guard is ended. */
export function guardMainThread(onLongText: OnLongText): { end(): void } {
  guards.push(onLongText)
  return {
    end() {
      const at = guards.indexOf(onLongText)
      if (at >= 0) guards.splice(at, 1)
    },
  }
}

/** Called by what renders a text, reads it as HTML, tracks it, or encodes it for a message. */
export function assertMainThreadWork(text: string): void {
  if (guards.length === 0 || !isLong(text)) return
  const error = new Error(`A text of more than ${MAIN_THREAD_BYTES_MAX / 1024} KB was processed in the main thread`)
  for (const guard of [...guards]) guard(error)
}

// Long work on the main thread, in pieces: the event loop turns between them, so that other requests are not kept waiting.

/** Characters or bytes that one turn of the event loop handles: a few milliseconds of a processor. */
export const PIECE_LENGTH = 1024 * 1024

/** Yields the length of each piece before it is done, at most PIECE_LENGTH. */
export type Work<Result> = Generator<number, Result, void>

/** For work that is known to be small, and for threads that answer nothing else meanwhile. */
export function doAtOnce<Result>(work: Work<Result>): Result {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

/** Short pieces share a turn. @param turn resolves in the next turn of the event loop */
export async function doInPieces<Result>(work: Work<Result>, turn: () => Promise<unknown> = setImmediate): Promise<Result> {
  let length = 0
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value
    if (length > 0 && length + step.value > PIECE_LENGTH) {
      await turn()
      length = 0
    }
    length += step.value
  }
}

/** Each piece in a turn of the event loop, for what takes bytes one after the other. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_LENGTH) {
    if (at > 0) await setImmediate()
    yield Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(PIECE_LENGTH, bytes.length - at))
  }
}
