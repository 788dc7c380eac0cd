// Whether this worker did some work a moment ago. Bulk mail and fan-outs give way to transactional mail, and bulk mail gives way more while emails of
// broadcasts are made.
import type { Clock } from '../../lib/clock.ts'

/** Longer than pauses between emails to people who wait for them. */
const URGENT_MAIL_MS = 10_000
/** Longer than a usual step of a fan-out and the rest after it. */
const FAN_OUT_MS = 3_000

export type RecentWork = {
  note(): void
  isRecent(): boolean
}

/** Transactional mail: people wait for it. */
export const createUrgentMail = (clock: Pick<Clock, 'monotonicMs'>): RecentWork => createRecent(clock, URGENT_MAIL_MS)

/** Making the emails of broadcasts. */
export const createRecentFanOut = (clock: Pick<Clock, 'monotonicMs'>): RecentWork => createRecent(clock, FAN_OUT_MS)

function createRecent(clock: Pick<Clock, 'monotonicMs'>, forMs: number): RecentWork {
  let notedAtMs = Number.NEGATIVE_INFINITY
  return {
    note() {
      notedAtMs = clock.monotonicMs()
    },
    isRecent: () => clock.monotonicMs() - notedAtMs < forMs,
  }
}
