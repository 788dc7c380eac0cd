import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/** Makes a costly answer once at a time, for everyone who asks meanwhile, and keeps it for a while. A failure is not kept. */
export function createCachedAnswer<Answer>(
  make: () => Promise<Answer>,
  { lifetimeMs, clock }: { lifetimeMs: number; clock: Clock },
): () => Promise<Answer> {
  let kept: { answer: Promise<Answer>; expiresAtMs: number } | null = null
  return () => {
    if (kept !== null && clock.monotonicMs() < kept.expiresAtMs) return kept.answer
    const answer = make()
    // However long it takes, no second one is begun beside it.
    const entry = { answer, expiresAtMs: Number.POSITIVE_INFINITY }
    kept = entry
    answer.then(
      () => {
        entry.expiresAtMs = clock.monotonicMs() + lifetimeMs
      },
      () => {
        kept = null
      },
    )
    return answer
  }
}

/** A kept answer for each key, such as a team. The one that was not asked for longest makes room. */
export function createCachedAnswers<Answer>(
  make: (key: string) => Promise<Answer>,
  { entriesMax, lifetimeMs, clock }: { entriesMax: number; lifetimeMs: number; clock: Clock },
): (key: string) => Promise<Answer> {
  const answers = new LRUCache<string, () => Promise<Answer>>({ max: entriesMax })
  return (key) => {
    const known = answers.get(key)
    if (known) return known()
    const answer = createCachedAnswer(() => make(key), { lifetimeMs, clock })
    answers.set(key, answer)
    return answer()
  }
}

export type ExpiringCache<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value, lifetimeMs: number): void
}

/** For a large LRUCache: it reserves all places of a `max` at once, a millisecond for ten thousand of them. These come as they are needed. */
export const upTo = (entriesMax: number) => ({ maxSize: entriesMax, sizeCalculation: () => 1 })

/** Holds at most `entriesMax` values, each for its own time by the monotonic clock. The least recently used one makes room. */
export function createExpiringCache<Value>({ entriesMax, clock }: { entriesMax: number; clock: Clock }): ExpiringCache<Value> {
  const entries = new LRUCache<string, { value: Value; expiresAtMs: number }>(upTo(entriesMax))
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
