// How far a sender is behind a pace. No sender gets ahead of it: a fast beginning does not make up for a slow end.
import type { Clock } from '../clock.ts'

export type BytePace = {
  arrived(bytes: number): void
  /** Ignores the time since the last call, because the sender did not cause it. */
  excuse(): void
  /** If this never exceeds a limit, the sender has sent all that was due in any stretch of time, except for that many milliseconds. */
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
