import { invalid } from '../../lib/failure.ts'
import { parseIsoTime } from '../../lib/iso-times.ts'
import { isProblem } from '../../lib/problem.ts'
import { quotedValue } from '../../lib/quotation.ts'
import { instantsAt, wallClockAt } from './time-zones.ts'

const DAY_MS = 86_400_000

/**
 * The time that a query parameter names: a date alone is the beginning of that day in the zone, a time is in UTC unless it has an offset.
 * @throws Failure `validation` for other texts, and for a date or time that does not exist
 */
export function timeOfParameter(name: string, text: string, zone = 'UTC'): Date {
  const time = parseIsoTime(text.trim())
  if (time === null)
    throw invalid(
      `The \`${name}\` parameter must be an ISO 8601 date or time, such as \`2026-11-20\` or \`2026-11-20T15:00:00Z\`.${quotedValue(text)}`,
    )
  if (isProblem(time)) throw invalid(`The \`${name}\` parameter ${time.problem}.${quotedValue(text)}`)
  return new Date(DATE_ALONE.test(text.trim()) ? beginningOfDay(time.wallClockMs, zone) : time.wallClockMs - (time.offsetMs ?? 0))
}

const DATE_ALONE = /^[\d-]{8,10}$/

/** Where clocks skip midnight, the day begins when they are changed. */
function beginningOfDay(midnightMs: number, zone: string): number {
  const there = { names: [zone], daylight: null }
  const dayBeforeMs = midnightMs - DAY_MS
  return instantsAt(midnightMs, there)[0] ?? midnightMs - (wallClockAt(dayBeforeMs, there) - dayBeforeMs)
}
