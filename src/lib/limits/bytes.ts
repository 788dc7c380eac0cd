// How far a sender is behind a pace. No sender gets ahead of it: a fast beginning does not make up for a slow end.
import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import type { Clock } from '../clock.ts'

// Bounds what is held in memory at once. A caller who wants more than is left waits until others give some back.

export type ByteBudget = {
  /** Resolves when there is room. A request for more than the whole budget runs alone. */
  take(bytes: number): Promise<void>
  giveBack(bytes: number): void
}

export function createByteBudget(bytesMax: number): ByteBudget {
  let taken = 0
  const waiting: { bytes: number; resolve: () => void }[] = []

  function serve(): void {
    for (let [next] = waiting; next && (taken === 0 || taken + next.bytes <= bytesMax); [next] = waiting) {
      waiting.shift()
      taken += next.bytes
      next.resolve()
    }
  }

  return {
    take(bytes) {
      return new Promise((resolve) => {
        waiting.push({ bytes, resolve })
        serve()
      })
    },
    giveBack(bytes) {
      taken -= bytes
      serve()
    },
  }
}

export type BytePace = {
  arrived(bytes: number): void
  /** Ignores the time since the last call, because the sender did not cause it. */
  excuse(): void
  /** If this never exceeds a limit, the sender has sent all that was due in any stretch of time, except for that many milliseconds. */
  behindMs(): number
}

export function createBytePace({ bytesPerSecond, clock }: { bytesPerSecond: number; clock: Pick<Clock, 'monotonicMs'> }): BytePace {
  let behindMs = 0
  let countedUntilMs = clock.monotonicMs()

  function count(): void {
    const nowMs = clock.monotonicMs()
    behindMs += nowMs - countedUntilMs
    countedUntilMs = nowMs
  }

  return {
    arrived(bytes) {
      count()
      behindMs = Math.max(0, behindMs - (bytes * 1_000) / bytesPerSecond)
    },
    excuse() {
      countedUntilMs = clock.monotonicMs()
    },
    behindMs() {
      count()
      return behindMs
    },
  }
}

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
  const counts = new LRUCache<string, { bytes: number; atMs: number }>(upTo(KEYS_MAX))
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

// Joins many small pieces into few large ones. As separate objects, bytes that arrive one by one would take a hundred times their memory.

export type ChunkBuffer = {
  /** The pieces that are complete, in order. */
  add(piece: Buffer): Buffer[]
  /** What remains at the end. */
  rest(): Buffer[]
}

export function createChunkBuffer(pieceBytes: number): ChunkBuffer {
  let gathered: Buffer | null = null
  let bytes = 0

  function rest(): Buffer[] {
    const left = gathered && bytes > 0 ? [gathered.subarray(0, bytes)] : []
    gathered = null
    bytes = 0
    return left
  }

  return {
    add(piece) {
      if (piece.length >= pieceBytes) return [...rest(), piece]
      const complete = bytes + piece.length > pieceBytes ? rest() : []
      // A separate buffer, because one from the pool would keep others alive.
      gathered ??= Buffer.allocUnsafeSlow(pieceBytes)
      bytes += piece.copy(gathered, bytes)
      return complete
    },
    rest,
  }
}
