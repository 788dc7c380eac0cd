// Stops waiting for work that takes too long. That work is not ended.
import { setTimeout as delay } from 'node:timers/promises'

/** Null if it takes longer. A failure that comes later is no one's. */
export async function inTime<Result>(work: Promise<Result>, waitedMs: number): Promise<Result | null> {
  const over = new AbortController()
  work.catch(() => {})
  try {
    return await Promise.race([work, delay(waitedMs, null, { signal: over.signal })])
  } finally {
    over.abort()
  }
}
