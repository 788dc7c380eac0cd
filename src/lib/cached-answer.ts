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
