import type { Clock } from '../../../src/lib/clock.ts'

export type ShiftingClock = Clock & {
  /** Moves the wall clock, forward or back. The monotonic clock goes on as it does on a real machine. */
  shift(ms: number): void
}

/** A wall clock that somebody sets, beside a monotonic clock that nobody can. */
export function createShiftingClock(): ShiftingClock {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs),
    monotonicMs: () => performance.now(),
    shift(ms) {
      offsetMs += ms
    },
  }
}
