import { readDeliveryStatus } from './delivery-status.ts'
import { readFields } from './fields.ts'
import { type Part, readParts } from './message-parts.ts'
import { mergeOriginals, messageIdsIn, originalOf } from './original.ts'
import type { Original, Report } from './reported.ts'

export type { Report } from './reported.ts'

/**
 * Reads what came back about a message: a bounce, a complaint, or something that changes nothing. Bounded in memory and time, and never throws for
 * what the message holds; a failure to read it from its storage is passed on.
 */
export async function readReport(message: AsyncIterable<Uint8Array>): Promise<Report> {
  const parts = await readParts(message)
  const original = originalIn(parts)
  for (const part of parts) {
    if (!STATUS_TYPES.has(part.contentType)) continue
    const status = await readDeliveryStatus(part.text, () => '')
    if (status === null) continue
    const whole = mergeOriginals(original, { messageIds: messageIdsIn(status.messageIds), returnPathAddresses: [], recipients: [] })
    if (status.action === 'failed') return { kind: 'bounce', recipients: status.recipients, original: whole }
    return { kind: status.action === 'delayed' ? 'delay' : 'success', original: whole }
  }
  return { kind: 'other', original }
}

const STATUS_TYPES = new Set(['message/delivery-status', 'message/global-delivery-status'])

const RETURNED_TYPES = new Set(['message/rfc822', 'message/global', 'text/rfc822-headers', 'text/rfc822', 'message/global-headers'])

const originalIn = (parts: readonly Part[]): Original =>
  mergeOriginals(...parts.filter(({ contentType }) => RETURNED_TYPES.has(contentType)).map(({ text }) => originalOf(readFields(text))))
