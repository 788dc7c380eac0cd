import type { Clock } from '../clock.ts'
import { createWindowCounts } from './window-counts.ts'

/** What someone has done in the current window. */
export type RequestCount = { key: string; max: number; remaining: number; ttlInSeconds: number; timeWindow: number; isExceeded: boolean }

export type RequestCounts = {
  /** Null if nothing is limited. */
  add(key: string): RequestCount | null
  /** Reads the count without counting. */
  read(key: string): RequestCount | null
}

/** Teams and addresses that are counted at once. The least recently used are forgotten. */
const COUNTERS_MAX = 10_000

/** @param max 0: nothing is limited */
export function createRequestCounts({ max, windowMs, clock }: { max: number; windowMs: number; clock: Clock }): RequestCounts {
  const counts = createWindowCounts({ keysMax: COUNTERS_MAX, clock })
  const countOf = (key: string, { current, ttl }: { current: number; ttl: number }): RequestCount => ({
    key,
    max,
    remaining: Math.max(0, max - current),
    ttlInSeconds: Math.ceil(ttl / 1_000),
    timeWindow: windowMs,
    isExceeded: current > max,
  })
  return {
    add: (key) => (max === 0 ? null : countOf(key, counts.add(key, windowMs))),
    read: (key) => (max === 0 ? null : countOf(key, counts.read(key, windowMs))),
  }
}
