/** A record's timestamp, `2026-11-20 07:26:55.123000+00`; null stays null. */
export function toTimestamp(date: Date): string
export function toTimestamp(date: Date | null): string | null
export function toTimestamp(date: Date | null): string | null {
  // A Date has milliseconds; the wire shows microseconds.
  return date === null ? null : date.toISOString().replace('T', ' ').replace('Z', '000+00')
}

/** ISO 8601 with milliseconds, `2026-11-20T07:26:55.123Z`, for webhook payloads, `expires_at` of attachments and metric ranges. */
export const toIso = (date: Date): string => date.toISOString()
