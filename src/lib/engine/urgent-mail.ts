// Tells whether this worker has just had transactional mail. People wait for it, so bulk mail leaves the processors to it.
import type { Clock } from '../clock.ts'

const RECENT_MS = 10_000

export type UrgentMail = { note(): void; isRecent(): boolean }

export function createUrgentMail(clock: Pick<Clock, 'monotonicMs'>): UrgentMail {
  let notedAtMs = Number.NEGATIVE_INFINITY
  return {
    note() {
      notedAtMs = clock.monotonicMs()
    },
    isRecent: () => clock.monotonicMs() - notedAtMs < RECENT_MS,
  }
}
