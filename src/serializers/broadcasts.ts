import type { Static } from '@sinclair/typebox'
import type { Counts } from '../lib/email-metrics.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { BroadcastRow, BroadcastSummaryRow } from '../repositories/broadcasts/broadcasts.ts'
import type { Broadcast, BroadcastCounts, BroadcastSummary } from '../schemas/broadcasts.ts'

export const toBroadcastSummary = (row: BroadcastSummaryRow): Static<typeof BroadcastSummary> => ({
  id: row.id,
  name: row.name,
  audience_id: row.segmentId,
  segment_id: row.segmentId,
  topic_id: row.topicId,
  status: row.status,
  status_reason: row.statusReason ?? row.endReason,
  rate_per_hour: row.ratePerHour,
  created_at: toTimestamp(row.createdAt),
  scheduled_at: toTimestamp(row.scheduledAt),
  sent_at: toTimestamp(row.sentAt),
})

export const toBroadcast = (row: BroadcastRow, counts: Counts): Static<typeof Broadcast> => ({
  object: 'broadcast',
  ...toBroadcastSummary(row),
  from: row.from,
  subject: row.subject,
  reply_to: row.replyTo.length === 0 ? null : row.replyTo.join(', '),
  preview_text: row.previewText,
  html: row.html,
  text: row.text,
  counts: toBroadcastCounts(counts),
})

export const toBroadcastCounts = (counts: Counts): Static<typeof BroadcastCounts> => ({
  recipients: counts.received ?? 0,
  sent: counts.sent ?? 0,
  delivered: counts.delivered ?? 0,
  opened: counts.unique_opened ?? 0,
  clicked: counts.unique_clicked ?? 0,
  bounced: (counts.bounced_permanent ?? 0) + (counts.bounced_transient ?? 0) + (counts.bounced_undetermined ?? 0),
  complained: counts.complained ?? 0,
  unsubscribed: counts.unsubscribed ?? 0,
  suppressed: counts.suppressed ?? 0,
  failed: counts.failed ?? 0,
  canceled: counts.canceled ?? 0,
})
