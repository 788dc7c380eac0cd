import { LRUCache } from 'lru-cache'
import { createCachedAnswer } from './cached-answer.ts'
import type { Clock } from './clock.ts'

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
