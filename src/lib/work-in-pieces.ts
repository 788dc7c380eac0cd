// Long work on the main thread, in pieces: the event loop turns between them, so that other requests are not kept waiting.
import { setImmediate } from 'node:timers/promises'

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
