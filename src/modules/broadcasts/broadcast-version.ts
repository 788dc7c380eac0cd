// What tells one state of a broadcast from another, for two people who write it at once.
import { createHash } from 'node:crypto'
import type { BroadcastRow } from './broadcasts.repository.ts'

/** A digest of what can be changed: two states that say the same have the same one. */
export function broadcastVersion(row: BroadcastRow): string {
  const { name, segmentId, topicId, from, subject, replyTo, previewText, html, text, contentDocument, ratePerHour } = row
  const content = [name, segmentId, topicId, from, subject, replyTo, previewText, html, text, contentDocument, ratePerHour]
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, VERSION_LENGTH)
}

/** 96 bits: no two states meet by chance. */
const VERSION_LENGTH = 16
