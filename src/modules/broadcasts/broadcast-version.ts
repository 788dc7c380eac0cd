// What tells one state of a broadcast from another, for two people who write it at once.
import { createHash } from 'node:crypto'
import type { BroadcastRow } from './broadcasts.repository.ts'

/** A digest of what can be changed, and of when it is sent: who writes a draft does not change what a colleague has scheduled. */
export function broadcastVersion(row: BroadcastRow): string {
  const { status, scheduledAt, name, segmentId, topicId, from, subject, replyTo, previewText, html, text, contentDocument, ratePerHour } =
    row
  const { timezone } = row
  const content = [
    status,
    scheduledAt,
    name,
    segmentId,
    topicId,
    from,
    subject,
    replyTo,
    previewText,
    html,
    text,
    contentDocument,
    ratePerHour,
    ...(timezone === null ? [] : [timezone]),
  ]
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, VERSION_LENGTH)
}

/** 96 bits: no two states meet by chance. */
const VERSION_LENGTH = 16
