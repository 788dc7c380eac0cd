// Makes the pages of shared emails one at a time and keeps them for a moment, so that the service has time for everything else however many people
// open a link at once.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { createTurns } from '../../lib/limits/turns.ts'

export type SharedPages = {
  /**
   * The page of this link, made again unless that was a moment ago.
   * @throws Failure `unavailable` if too many are waiting.
   */
  of(token: string, make: () => Promise<string>): Promise<Buffer>
}

export function createSharedPages({ clock }: { clock: Clock }): SharedPages {
  const kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: (page) => page.length,
    ttl: KEPT_MS_MAX,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() },
  })
  const turns = createTurns({ atOnceMax: ONE, waitingMax: WAITING_MAX, waitMsMax: WAIT_MS_MAX, refusal: tooMany })

  async function make(token: string, write: () => Promise<string>): Promise<Buffer> {
    // Requests that waited for the same link find the page that the first of them made.
    const earlier = kept.get(token)
    if (earlier) return earlier
    const page = Buffer.from(await write())
    kept.set(token, page)
    return page
  }

  return {
    async of(token, write) {
      return kept.get(token) ?? turns.take(token, () => make(token, write))
    },
  }
}

const KEPT_BYTES_MAX = 16 * 1024 * 1024
/** A person who looks again a little later sees what has changed since. */
const KEPT_MS_MAX = 10_000
const ONE = { perKey: 1, inAll: 1 }
const WAITING_MAX = { perKey: 20, inAll: 40 }
const WAIT_MS_MAX = 10_000
const RETRY_AFTER_SECONDS = 5

const tooMany = (): Failure =>
  new Failure('unavailable', 'Too many shared emails are being opened right now. Load this page again in a few seconds.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
