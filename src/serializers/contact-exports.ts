import type { Static } from '@sinclair/typebox'
import { SOFT_BOUNCES } from '../lib/soft-bounces.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { ContactExportRow } from '../repositories/audience/contact-exports.ts'
import type { PropertyRow } from '../repositories/contacts/contact-properties.ts'
import type { ContactExport } from '../schemas/contact-exports.ts'
import { toContact } from './contacts.ts'
import { toContactEvent } from './events.ts'
import { toSoftBounces } from './suppressions.ts'

export const toContactExport = (row: ContactExportRow, properties: PropertyRow[], exportedAt: Date): Static<typeof ContactExport> => ({
  object: 'contact_export',
  exported_at: toTimestamp(exportedAt),
  contact: row.contact && toContact(row.contact, properties),
  updated_at: toTimestamp(row.contact?.updatedAt ?? null),
  segments: row.segments.map(({ id, name, addedAt }) => ({ id, name, added_at: toTimestamp(addedAt) })),
  topics: row.topics.map(({ chosenAt, ...topic }) => ({ ...topic, chosen_at: toTimestamp(chosenAt) })),
  opt_outs: {
    all_since: toTimestamp(row.optedOutAt),
    topics: row.topicOptOuts.map(({ id, since }) => ({ id, since: toTimestamp(since) })),
  },
  suppression: row.suppression && toSuppression(row.suppression),
  emails: row.emails.rows.map(({ lastEvent, createdAt, ...email }) => ({
    ...email,
    last_event: lastEvent,
    created_at: toTimestamp(createdAt),
  })),
  has_more_emails: row.emails.hasMore,
  events: row.events.rows.map(({ createdAt, ...event }) => ({ ...event, created_at: toTimestamp(createdAt) })),
  has_more_events: row.events.hasMore,
  sent_events: row.sentEvents.rows.map(toContactEvent),
  has_more_sent_events: row.sentEvents.hasMore,
  automation_runs: row.automationRuns.rows.map(toExportedRun),
  has_more_automation_runs: row.automationRuns.hasMore,
})

const toSuppression = ({ id, origin, sourceId, createdAt, softBounces }: NonNullable<ContactExportRow['suppression']>) => ({
  id,
  origin,
  source_id: sourceId,
  created_at: toTimestamp(createdAt),
  ...(softBounces && { reason: SOFT_BOUNCES, soft_bounces: toSoftBounces(softBounces) }),
})

const toExportedRun = (row: ContactExportRow['automationRuns']['rows'][number]) => ({
  id: row.id,
  automation_id: row.automationId,
  status: row.status,
  event: row.eventName,
  payload: row.payload,
  heard: row.heard ?? {},
  outputs: Object.fromEntries(Object.entries(row.steps).flatMap(([key, { output }]) => (output === null ? [] : [[key, output]]))),
  started_at: toTimestamp(row.startedAt),
  completed_at: toTimestamp(row.completedAt),
})
