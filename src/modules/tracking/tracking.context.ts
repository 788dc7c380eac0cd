// What tracking gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { TrackedEvent } from './machine-hold.ts'
import { trackedEventRepository } from './tracked-events.repository.ts'
import type { TrackingTokens } from './tracking-tokens.ts'

/** Opens and clicks, until they are recorded. */
export type EventRecorder = {
  /** Returns at once. It is recorded some seconds later, or lost and counted if too much is waiting. */
  add(event: TrackedEvent): void
  /** Records everything that waits now. */
  flush(): Promise<void>
}

export type TrackingContext = {
  repositories: ReturnType<typeof trackingRepositories>
  trackingTokens: TrackingTokens
  /** What the readers of tracked mail do. */
  trackedEvents: EventRecorder
}

export const trackingRepositories = (database: Database) => ({
  trackedEvents: trackedEventRepository(database),
})
