import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

export type ExpiringCache<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value, lifetimeMs: number): void
}

// lru-cache reserves all places of a `max` at once, a millisecond for ten thousand of them. Those of a `maxSize` come as they are needed.

/** Holds at most `entriesMax` values, each for its own time by the monotonic clock. The least recently used one makes room. */
export function createExpiringCache<Value>({ entriesMax, clock }: { entriesMax: number; clock: Clock }): ExpiringCache<Value> {
  const entries = new LRUCache<string, { value: Value; expiresAtMs: number }>({ maxSize: entriesMax, sizeCalculation: () => 1 })
  return {
    get(key) {
      const entry = entries.get(key)
      return entry !== undefined && clock.monotonicMs() < entry.expiresAtMs ? entry.value : undefined
    },
    set(key, value, lifetimeMs) {
      entries.set(key, { value, expiresAtMs: clock.monotonicMs() + lifetimeMs })
    },
  }
}
