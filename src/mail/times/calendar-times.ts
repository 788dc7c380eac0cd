import { createRequire } from 'node:module'
import type { ParsedComponents } from 'chrono-node'
import type { WallClockMs } from '../../lib/iso-times.ts'
import { type Problem, problem } from '../../lib/problem.ts'

/** `repeatsAfterMs`: a weekday or a time of day without a date means the next one, so one that has passed moves on by this much. */
export type CalendarTime = { wallClockMs: WallClockMs; repeatsAfterMs: number | null }

/**
 * Reads a day and a time of day in English without a zone, such as `tomorrow at 9am`, `Friday at 15:00`, `Nov 25 at 3pm`, `9am`. `nowMs` is what a
 * clock in the zone shows now. An ambiguous text is a problem, because mail that was sent at the wrong time cannot be recalled.
 */
export function readCalendarTime(text: string, nowMs: WallClockMs): CalendarTime | Problem {
  if (/\bmidnight\b/i.test(text)) return problem('is ambiguous: a day has a midnight at both ends; write `00:00` and the day')
  if (hasDayAndMonthInDoubt(text)) return problem('is ambiguous: it may be month first or day first; write the date as `YYYY-MM-DD`')
  const found = parseWhole(text, startOfDay(nowMs))
  if (found === null) return NOT_UNDERSTOOD
  if (!found.isCertain('hour')) return problem('names no time of day: add one, as in `tomorrow at 9am`')
  if (found.isCertain('month') && !found.isCertain('day')) return problem('names no day: add one, as in `November 21 at 9am`')
  if (isHalfOfDayInDoubt(found, text)) return problem('is ambiguous: say `am` or `pm`, or write the time as `15:00`')
  const wallClockMs = wallClockOf(found)
  return checkWeekday(found, text, wallClockMs, nowMs) ?? { wallClockMs, repeatsAfterMs: repetitionOf(found, text) }
}

const NOT_UNDERSTOOD = problem(
  'is not a time that can be understood: give an ISO 8601 time, `YYYY-MM-DDTHH:MM:SSZ`, or English such as `in 2 hours` or `tomorrow at 9am ET`',
)

const DAY_MS = 86_400_000

const startOfDay = (wallClockMs: WallClockMs): WallClockMs => Math.floor(wallClockMs / DAY_MS) * DAY_MS

const require = createRequire(import.meta.url)

/** Null unless chrono reads all of the text as one moment. */
function parseWhole(text: string, todayMs: WallClockMs): ParsedComponents | null {
  // Loaded when the first such text comes, so that every start is quicker.
  const chrono: typeof import('chrono-node/en') = require('chrono-node/en')
  // Noon, because chrono calculates in the zone of the process, and no change to daylight saving time is near noon.
  const [result, ...others] = chrono.parse(text, { instant: new Date(todayMs + DAY_MS / 2), timezone: 0 })
  if (result === undefined || others.length > 0 || result.end != null) return null
  // A full stop at the end may be part of "p.m." or end the sentence.
  if (result.text !== text && `${result.text}.` !== text) return null
  // Zones have been removed. If chrono finds one nevertheless, we do not know it, or it is part of a text such as "in 3 hours at 9am".
  return result.start.isCertain('timezoneOffset') ? null : result.start
}

const DAY_AND_MONTH = [/(?<![\d/.-])(\d{1,2})\/(\d{1,2})(?!\d)/, /(?<![\d/.-])(\d{1,2})[.-](\d{1,2})[.-]\d{2}/]

function hasDayAndMonthInDoubt(text: string): boolean {
  return DAY_AND_MONTH.some((pattern) => {
    const [, first, second] = pattern.exec(text) ?? []
    return first !== second && Number(first) <= 12 && Number(second) <= 12
  })
}

/** `tomorrow at 9` may be in either half of the day. `9:00` is read as it stands, and so is 15. */
function isHalfOfDayInDoubt(found: ParsedComponents, text: string): boolean {
  const hour = found.get('hour') ?? 0
  if (found.isCertain('meridiem') || hour === 0 || hour > 12) return false
  return !/\d:\d\d|\b(?:noon|morning|afternoon|evening|tonight)\b/i.test(text)
}

const wallClockOf = (found: ParsedComponents): WallClockMs =>
  Date.UTC(
    found.get('year') ?? 0,
    (found.get('month') ?? 1) - 1,
    found.get('day') ?? 1,
    found.get('hour') ?? 0,
    found.get('minute') ?? 0,
    found.get('second') ?? 0,
  )

function checkWeekday(found: ParsedComponents, text: string, wallClockMs: WallClockMs, nowMs: WallClockMs): Problem | null {
  if (!found.isCertain('weekday')) return null
  if (new Date(wallClockMs).getUTCDay() !== found.get('weekday')) return problem('names a weekday that is not the one of its date')
  if (found.isCertain('day') || !/\bnext\b/i.test(text)) return null
  // Some people mean the coming Friday by "next Friday", others the one after it. It is accepted only if both are the same day.
  const daysAhead = (startOfDay(wallClockMs) - startOfDay(nowMs)) / DAY_MS
  return daysAhead > 7 ? problem('is ambiguous: the next such weekday may be in this week or in the one after it; write the date') : null
}

function repetitionOf(found: ParsedComponents, text: string): number | null {
  if (found.isCertain('day') || /\b(?:this|last|past|previous)\b/i.test(text)) return null
  return found.isCertain('weekday') ? 7 * DAY_MS : DAY_MS
}
