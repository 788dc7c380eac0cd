// How far behind a pace a sender is. Nobody gets ahead of it: a fast beginning does not pay for a slow end.
import type { Clock } from '../clock.ts'

export type BytePace = {
  arrived(bytes: number): void
  /** The time since the last call was not the sender's, and does not count. */
  excuse(): void
  /** Over any stretch of time a sender who is never further behind than this has sent all that was due in it, but for so many milliseconds. */
  behindMs(): number
}

export function createBytePace({ bytesPerSecond, clock }: { bytesPerSecond: number; clock: Pick<Clock, 'monotonicMs'> }): BytePace {
  let behindMs = 0
  let countedUntilMs = clock.monotonicMs()

  function count(): void {
    const nowMs = clock.monotonicMs()
    behindMs += nowMs - countedUntilMs
    countedUntilMs = nowMs
  }

  return {
    arrived(bytes) {
      count()
      behindMs = Math.max(0, behindMs - (bytes * 1_000) / bytesPerSecond)
    },
    excuse() {
      countedUntilMs = clock.monotonicMs()
    },
    behindMs() {
      count()
      return behindMs
    },
  }
}
