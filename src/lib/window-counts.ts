import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

export type WindowCount = {
  current: number
  /** Milliseconds until the window ends. */
  ttl: number
}

export type WindowCounts = { add(key: string, windowMs: number): WindowCount }

/**
 * Counts what happens within windows that begin with the first event, by the monotonic clock: by the wall clock, a window would last for an hour
 * when the clock is set back by one. The key that was used least recently makes room.
 */
export function createWindowCounts({ keysMax, clock }: { keysMax: number; clock: Pick<Clock, 'monotonicMs'> }): WindowCounts {
  const windows = new LRUCache<string, { count: number; endsAtMs: number }>({ max: keysMax })
  return {
    add(key, windowMs) {
      const nowMs = clock.monotonicMs()
      const known = windows.get(key)
      const window = known && nowMs < known.endsAtMs ? known : { count: 0, endsAtMs: nowMs + windowMs }
      window.count += 1
      if (window !== known) windows.set(key, window)
      // The sum of two fractions may be rounded up: a window is never longer than it is.
      return { current: window.count, ttl: Math.min(windowMs, window.endsAtMs - nowMs) }
    },
  }
}
