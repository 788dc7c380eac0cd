import { MINUTE_MS } from '../clock.ts'
import { type Problem, problem } from '../problem.ts'
import type { WallClockMs } from './time-zones.ts'

/** `offsetMs` is null if the text has none. */
export type IsoTime = { wallClockMs: WallClockMs; offsetMs: number | null }

/**
 * Reads a calendar date and time of ISO 8601, in the extended or the basic form, with `T` or a space between, and `Z`, `+01`, `+0100` or `+01:00`
 * at the end; a date alone is its first moment. Null for other texts, a problem for a date or time that does not exist.
 */
export function parseIsoTime(text: string): IsoTime | Problem | null {
  const fields = ISO_TIME.exec(text)?.groups
  if (fields === undefined) return null
  const [year, month, day, hour, minute, second] = FIELDS.map((name) => Number(fields[name] ?? 0))
  const milliseconds = Number((fields.fraction ?? '').slice(0, 3).padEnd(3, '0'))
  const written = [year, month, day, hour, minute, second].map((field) => String(field).padStart(2, '0'))
  // Date.UTC takes the years 0 to 99 for those of the 20th century.
  const wallClock = new Date(0)
  wallClock.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day)
  const wallClockMs = wallClock.setUTCHours(hour ?? 0, minute, second, milliseconds)
  // JavaScript turns the 31st of November into a day of December. A date that does not come back as it was written does not exist.
  const [shown = ''] = Number.isNaN(wallClockMs) ? [] : new Date(wallClockMs).toISOString().split('.')
  if (shown !== `${written[0]?.padStart(4, '0')}-${written[1]}-${written[2]}T${written[3]}:${written[4]}:${written[5]}`) return NO_SUCH_TIME
  const offsetMs = parseOffset(fields)
  return Number.isNaN(offsetMs) ? NO_SUCH_TIME : { wallClockMs, offsetMs }
}

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const

const DATE = '(?<year>\\d{4})(?<dash>-?)(?<month>\\d\\d)\\k<dash>(?<day>\\d\\d)'
const TIME = '(?<hour>\\d\\d):?(?<minute>\\d\\d)(?::?(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?'
const OFFSET = '(?<zulu>Z)|(?<sign>[+-])(?<offsetHours>\\d\\d):?(?<offsetMinutes>\\d\\d)?'
const ISO_TIME = new RegExp(`^${DATE}(?:[T ]${TIME}(?:${OFFSET})?)?$`, 'i')

const NO_SUCH_TIME = problem('names a date or time that does not exist')

/** The greatest offset from UTC. */
const OFFSET_HOURS_MAX = 14

/** Null without an offset, NaN for an offset that no zone has. */
function parseOffset({ zulu, sign, offsetHours, offsetMinutes = '0' }: Record<string, string | undefined>): number | null {
  if (zulu !== undefined) return 0
  if (sign === undefined) return null
  const minutes = Number(offsetHours) * 60 + Number(offsetMinutes)
  const isReal = Number(offsetMinutes) < 60 && minutes <= OFFSET_HOURS_MAX * 60
  return isReal ? (sign === '-' ? -1 : 1) * minutes * MINUTE_MS : Number.NaN
}
