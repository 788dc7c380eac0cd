import parse from 'parse-duration'

/** Time, handed in so that tests can move it. */
export type Clock = {
  /** The wall clock, for times that are stored or shown. */
  now(): Date
  /** Milliseconds that never jump, for waits, leases and durations. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
}

/**
 * Milliseconds of `10m`, `2 hours`, `1.5 h`, `1 day`, `1h 30m`, `1 hour and 30 minutes`: weeks to seconds, each at most once and the largest first.
 * Null for everything else: months and years (which have no fixed length), less than a second, no unit, a sign, extra words.
 */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > DURATION_LENGTH_MAX || !DURATION.test(trimmed)) return null
  const ms = Math.round(parse(trimmed) ?? 0)
  return ms >= SHORTEST_MS ? ms : null
}

/** Longer than any sensible text, which has five units with words between them. */
const DURATION_LENGTH_MAX = 100

const SHORTEST_MS = 1000

const UNITS = ['w|wks?|weeks?', 'd|days?', 'h|hrs?|hours?', 'm|mins?|minutes?', 's|secs?|seconds?']

const ONE_UNIT = (names: string): string => `(?:\\d{1,6}(?:\\.\\d{1,3})?\\s?(?:${names})(?![a-z])(?:\\s?,?\\s?(?:and\\s)?(?=\\d)|$))?`

// The library reads nearly every text as some duration. This pattern decides what is one, and the library only adds it up.
const DURATION = new RegExp(`^${UNITS.map(ONE_UNIT).join('')}$`, 'i')

/** A record's timestamp, `2026-11-20 07:26:55.123000+00`; null stays null. */
export function toTimestamp(date: Date): string
export function toTimestamp(date: Date | null): string | null
export function toTimestamp(date: Date | null): string | null {
  // A Date has milliseconds; the wire shows microseconds.
  return date === null ? null : date.toISOString().replace('T', ' ').replace('Z', '000+00')
}

/** ISO 8601 with milliseconds, `2026-11-20T07:26:55.123Z`, for webhook payloads, `expires_at` of attachments and metric ranges. */
export const toIso = (date: Date): string => date.toISOString()

// Durations of fixed length, in milliseconds.
export const MINUTE_MS = 60_000

export const HOUR_MS = 60 * MINUTE_MS

export const DAY_MS = 24 * HOUR_MS

/** What `onLate` returns or throws, if the work takes longer. A failure that comes later is no one's. */
export function within<Result, Late>(ms: number, work: Promise<Result>, onLate: () => Late): Promise<Result | Late> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, ms).unref()
  return Promise.race([work, over.promise.then(onLate)]).finally(() => clearTimeout(timer))
}
