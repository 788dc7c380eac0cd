// What events gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { eventRepository } from './events.repository.ts'
import { sentEventRepository } from './sent-events.repository.ts'

export type EventsContext = { repositories: ReturnType<typeof eventsRepositories> }

export const eventsRepositories = (database: Database, { clock }: { clock: Clock }) => ({
  events: eventRepository(database, { clock }),
  sentEvents: sentEventRepository(database),
})
