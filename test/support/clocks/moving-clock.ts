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

/**
 * Its monotonic clock also runs. Use it for a service with a worker: a jump ends the lease of the worker, and the next worker takes over what that one
 * had just claimed, after 20 seconds.
 */
export function createJumpingClock(start = new Date()): MovingClock {
  const clock = createMovingClock(start)
  return { ...clock, monotonicMs: () => clock.monotonicMs() + performance.now() }
}
