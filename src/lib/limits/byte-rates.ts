import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'

export type ByteRates = {
  /**
   * Counts bytes. Null if they may come, or else seconds until more may: they are not counted then. What one second allows may come at once, and
   * any single size may come if no more than that is counted.
   */
  take(key: string, bytes: number): number | null
}

/** Teams that are counted at once. The least recently used are forgotten. */
const KEYS_MAX = 10_000

/** @param bytesPerSecond 0: nothing is limited */
export function createByteRates({ bytesPerSecond, clock }: { bytesPerSecond: number; clock: Pick<Clock, 'monotonicMs'> }): ByteRates {
  const counts = new LRUCache<string, { bytes: number; atMs: number }>({ max: KEYS_MAX })
  return {
    take(key, bytes) {
      if (bytesPerSecond === 0) return null
      const atMs = clock.monotonicMs()
      const known = counts.get(key) ?? { bytes: 0, atMs }
      const counted = Math.max(0, known.bytes - ((atMs - known.atMs) * bytesPerSecond) / 1_000)
      if (counted > bytesPerSecond) return Math.ceil((counted - bytesPerSecond) / bytesPerSecond)
      counts.set(key, { bytes: counted + bytes, atMs })
      return null
    },
  }
}
