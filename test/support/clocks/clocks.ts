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

/** Something that otherwise happens again and again, at the turn of a hand. */
export type Handle = {
  repeat: (act: () => void) => () => void
  /** Does once what was to be repeated. */
  turn(): void
}

export function createHandle(): Handle {
  const acts = new Set<() => void>()
  return {
    repeat(act) {
      acts.add(act)
      return () => void acts.delete(act)
    },
    turn() {
      for (const act of acts) act()
    },
  }
}
