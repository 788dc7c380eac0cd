// Broadcasts for tests.
import type { CallOptions, TestService } from '../servers/service.ts'
import { TIMESTAMP } from './answers.ts'
import { addSegment } from './contact-builders.ts'

/** The body of a valid POST /broadcasts. */
export const broadcastInput = (segmentId: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  segment_id: segmentId,
  from: 'Acme <hello@example.com>',
  subject: 'News',
  html: '<p>News</p>',
  ...changes,
})

/** Creates a broadcast, by default a draft for an empty segment, and returns its id. */
export async function createBroadcast(
  service: TestService,
  changes: Record<string, unknown> = {},
  options: CallOptions = {},
): Promise<string> {
  const segmentId = changes.segment_id === undefined ? await addSegment(service) : String(changes.segment_id)
  const { status, body, text } = await service.call('POST', '/broadcasts', { body: broadcastInput(segmentId, changes), ...options })
  if (status !== 201) throw new Error(`The broadcast was not created: ${text}`)
  return (body as { id: string }).id
}

export async function readBroadcast(service: TestService, id: string): Promise<Record<string, unknown>> {
  const { status, body, text } = await service.call('GET', `/broadcasts/${id}`)
  if (status !== 200) throw new Error(`The broadcast was not answered: ${text}`)
  return body as Record<string, unknown>
}

export const NO_COUNTS = {
  recipients: 0,
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  suppressed: 0,
  failed: 0,
}

/** The API's answer about the broadcast of `broadcastInput`. */
export const broadcastRecord = (id: string, segmentId: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  object: 'broadcast',
  id,
  name: 'News',
  audience_id: segmentId,
  segment_id: segmentId,
  topic_id: null,
  status: 'draft',
  status_reason: null,
  rate_per_hour: null,
  created_at: TIMESTAMP,
  scheduled_at: null,
  sent_at: null,
  from: 'Acme <hello@example.com>',
  subject: 'News',
  reply_to: null,
  preview_text: null,
  html: '<p>News</p>',
  text: null,
  counts: NO_COUNTS,
  ...changes,
})
