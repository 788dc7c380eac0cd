import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'

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
  const windows = new LRUCache<string, { count: number; endsAtMs: number }>({ maxSize: keysMax, sizeCalculation: () => 1 })
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
