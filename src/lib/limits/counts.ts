import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import type { Clock } from '../clock.ts'

/** How many of each key there are at the moment. A key of which there is none takes no memory. */
export type KeyCounts = {
  readonly total: number
  readonly all: ReadonlyMap<string, number>
  of(key: string): number
  /** Returns how many there are then. */
  add(key: string, amount?: number): number
  takeAway(key: string, amount?: number): void
}

export function createKeyCounts(): KeyCounts {
  const counts = new Map<string, number>()
  let total = 0

  function add(key: string, amount = 1): number {
    const count = (counts.get(key) ?? 0) + amount
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
    total += amount
    return count
  }

  return {
    get total() {
      return total
    },
    all: counts,
    of: (key) => counts.get(key) ?? 0,
    add,
    takeAway: (key, amount = 1) => void add(key, -amount),
  }
}

export type WindowCount = {
  current: number
  /** Milliseconds until the window ends. */
  ttl: number
}

export type WindowCounts = {
  add(key: string, windowMs: number, amount?: number): WindowCount
  /** The current window. A window that has not begun is empty. */
  read(key: string, windowMs: number): WindowCount
}

/**
 * Counts events within windows that begin with the first event, by the monotonic clock: by the wall clock, a window would last for an hour if the
 * clock is set back by one. The least recently used key makes room.
 */
export function createWindowCounts({ keysMax, clock }: { keysMax: number; clock: Pick<Clock, 'monotonicMs'> }): WindowCounts {
  const windows = new LRUCache<string, { count: number; endsAtMs: number }>(upTo(keysMax))
  function windowOf(key: string, windowMs: number, nowMs: number) {
    const known = windows.get(key)
    return known && nowMs < known.endsAtMs ? known : { count: 0, endsAtMs: nowMs + windowMs }
  }

  // The sum of two fractions may be rounded up, but a window never takes longer than its length.
  const ttlOf = (endsAtMs: number, windowMs: number, nowMs: number) => Math.min(windowMs, endsAtMs - nowMs)

  return {
    add(key, windowMs, amount = 1) {
      const nowMs = clock.monotonicMs()
      const window = windowOf(key, windowMs, nowMs)
      window.count += amount
      windows.set(key, window)
      return { current: window.count, ttl: ttlOf(window.endsAtMs, windowMs, nowMs) }
    },
    read(key, windowMs) {
      const nowMs = clock.monotonicMs()
      const { count, endsAtMs } = windowOf(key, windowMs, nowMs)
      return { current: count, ttl: ttlOf(endsAtMs, windowMs, nowMs) }
    },
  }
}

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
