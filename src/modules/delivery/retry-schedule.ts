import { MINUTE_MS } from '../../lib/clock.ts'

/**
 * How long to wait, in milliseconds, before the next attempt after the given one (1 is the first) was delayed; null when the time is used up.
 * `random` returns numbers from 0 up to 1. It varies each wait by up to 20 % in both directions, so that mail that was delayed together is not
 * retried together.
 */
export function retryWaitMs(attempt: number, random: () => number): number | null {
  const minutes = WAITS_MINUTES[attempt - 1]
  return minutes === undefined ? null : Math.round(minutes * MINUTE_MS * (1 - JITTER + 2 * JITTER * random()))
}

const JITTER = 0.2

// Greylisting asks for up to five minutes (RFC 6647, section 5), which the second or the third attempt exceeds.
const WAITS_MINUTES = [1, 6, 13, 40, 60, 2 * 60, 4 * 60, 6 * 60, 8 * 60, 10 * 60, 12 * 60, 14 * 60, 14 * 60]

/** The sum of all waits. */
export const RETRIED_FOR_DAYS = WAITS_MINUTES.reduce((sum, minutes) => sum + minutes, 0) / (24 * 60)
