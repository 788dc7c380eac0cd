import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { EventRow } from '../repositories/events/events.ts'
import type { SentEventRow } from '../repositories/events/sent-events.ts'
import type { Event, EventSummary } from '../schemas/events.ts'
import type { ContactEvent } from '../schemas/sent-events.ts'

export const toEventSummary = ({ id, name, schema, createdAt, updatedAt }: EventRow): Static<typeof EventSummary> => ({
  id,
  name,
  schema,
  created_at: toTimestamp(createdAt),
  updated_at: toTimestamp(updatedAt),
})

export const toEvent = (row: EventRow): Static<typeof Event> => ({ object: 'event', ...toEventSummary(row) })

export const toContactEvent = ({ id, name, payload, createdAt }: SentEventRow): Static<typeof ContactEvent> => ({
  id,
  event: name,
  payload,
  created_at: toTimestamp(createdAt),
})
