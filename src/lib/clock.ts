/** Time, handed in so that tests can move it. */
export type Clock = {
  /** The wall clock, for times that are stored or shown. */
  now(): Date
  /** Milliseconds that never jump, for waits, leases and durations. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
}
