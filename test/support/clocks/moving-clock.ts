import type { Clock } from '../../../src/lib/clock.ts'

export type MovingClock = Clock & {
  /** Moves both clocks forward. */
  advance(ms: number): void
}

/** A clock that stands still at the present until it is moved. */
export function createMovingClock(start = new Date()): MovingClock {
  let elapsedMs = 0
  return {
    now: () => new Date(start.getTime() + elapsedMs),
    monotonicMs: () => elapsedMs,
    advance(ms) {
      elapsedMs += ms
    },
  }
}
