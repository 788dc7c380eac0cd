// When a message that an endpoint did not accept is tried again.

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** What is waited for after each failure. After the last, the message is given up. */
export const RETRY_WAITS_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 10 * HOUR_MS]
export const ATTEMPTS_MAX = RETRY_WAITS_MS.length + 1

/** Varies each wait, so that messages that failed together do not come back together. */
const JITTER = 0.1

/**
 * @param failures of this message, this one included
 * @param askedMs what the endpoint asked for with Retry-After; null if it did not. It is never waited for longer than the longest wait.
 * @returns null if the message is given up
 */
export function nextTryAt(
  { failures, askedMs }: { failures: number; askedMs: number | null },
  { now, random }: { now: Date; random: () => number },
): Date | null {
  const waitMs = RETRY_WAITS_MS[failures - 1]
  if (waitMs === undefined) return null
  const jittered = waitMs * (1 + JITTER * random())
  return new Date(now.getTime() + Math.max(jittered, Math.min(askedMs ?? 0, LONGEST_WAIT_MS)))
}

const LONGEST_WAIT_MS = Math.max(...RETRY_WAITS_MS)

/** A webhook whose attempts have failed for so long is disabled. */
export const FAILING_DAYS_MAX = 5
export const FAILING_MS_MAX = FAILING_DAYS_MAX * 24 * HOUR_MS

/**
 * A message that was claimed this often without an outcome may kill its workers. From then on a worker holds only one such message at a time, and
 * if it dies, that one is to blame.
 */
export const CLAIMS_BEFORE_SUSPICION = 3
/** One that was claimed more often, each time without an outcome, is given up. */
export const CLAIMS_MAX = 5
