/**
 * How long to wait, in milliseconds, after the given attempt (1 is the first) was put off; null when the time is used up. `random` gives
 * numbers from 0 up to 1; it spreads each wait by 20 % to both sides, so that mail that was put off together does not come back together.
 */
export function retryWaitMs(attempt: number, random: () => number): number | null {
  const minutes = WAITS_MINUTES[attempt - 1]
  return minutes === undefined ? null : Math.round(minutes * MINUTE_MS * (1 - JITTER + 2 * JITTER * random()))
}

const MINUTE_MS = 60_000

const JITTER = 0.2

// Three days in all. Greylisting asks for up to five minutes (RFC 6647, section 5): the second or the third try is beyond that.
const WAITS_MINUTES = [1, 6, 13, 40, 60, 2 * 60, 4 * 60, 6 * 60, 8 * 60, 10 * 60, 12 * 60, 14 * 60, 14 * 60]
