import type { Clock } from '../../../src/lib/clock.ts'

export type ShiftingClock = Clock & {
  /** Moves the wall clock, forward or back. The monotonic clock continues, as on a real machine. */
  shift(ms: number): void
}

/** A wall clock that can be set, beside a monotonic clock that cannot. */
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
