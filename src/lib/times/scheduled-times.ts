import { createRequire } from 'node:module'
import type { ParsedComponents } from 'chrono-node'
import { DAY_MS, parseDuration } from '../clock.ts'
import { isProblem, type Problem, problem } from '../problem.ts'
import { parseIsoTime } from './iso-times.ts'
import { instantsAt, type TimeZone, timeZoneNamed, UTC, type WallClockMs, wallClockAt } from './time-zones.ts'

/**
 * When to send, from ISO 8601 or English (`in 2 hours`, `tomorrow at 9am`, `Friday at 3pm ET`). Without a zone in the text it is in `defaultZone`. Up
 * to five seconds in the past counts as now. A time further back, more than 30 days ahead, ambiguous or only partly understood is a problem. The
 * result depends only on what is given, not on the zone of the process.
 */
export function parseScheduledAt(text: string, now: Date, defaultZone: TimeZone = UTC): Date | Problem {
  if (text.length > TEXT_LENGTH_MAX) return problem(`may not be longer than ${TEXT_LENGTH_MAX} characters`)
  const { words, zones } = splitZones(text)
  if (zones.length > 1) return problem('names more than one time zone: name one')
  const instantMs = readTime(words, { zone: zones[0] ?? null, defaultZone }, now.getTime())
  return typeof instantMs === 'number' ? withinWindow(instantMs, now) : instantMs
}

/** English sentences about a time are short, and the parser's work grows with the text. */
const TEXT_LENGTH_MAX = 100

/** A request may take a few seconds to arrive, and clocks differ a little. */
const PAST_GRACE_MS = 5_000

/** An email can be scheduled so far ahead. */
export const DAYS_AHEAD_MAX = 30

function withinWindow(instantMs: number, now: Date): Date | Problem {
  const aheadMs = instantMs - now.getTime()
  if (aheadMs < -PAST_GRACE_MS) return problem(`is in the past (${new Date(instantMs).toISOString()}): give a time in the future`)
  if (aheadMs > DAYS_AHEAD_MAX * DAY_MS) return problem(`may be at most ${DAYS_AHEAD_MAX} days ahead`)
  return new Date(Math.max(instantMs, now.getTime()))
}

/** Zone names are removed before chrono reads the text: it knows them for two continents only, and by today's offset. */
function splitZones(text: string): { words: string; zones: TimeZone[] } {
  const all = text
    .trim()
    .replace(/\b(UTC|GMT) +(?=[+-]\d)/i, '$1')
    .split(/\s+/)
  const zoned = all.map((word) => ({ word, zone: timeZoneNamed(word.replace(/^\((.+)\)$/, '$1')) }))
  const words = zoned.filter(({ zone }) => zone === null).map(({ word }) => word)
  return { words: words.join(' '), zones: zoned.flatMap(({ zone }) => zone ?? []) }
}

function readTime(words: string, { zone, defaultZone }: { zone: TimeZone | null; defaultZone: TimeZone }, nowMs: number): number | Problem {
  const iso = parseIsoTime(words)
  if (iso !== null) {
    if (isProblem(iso)) return iso
    if (iso.offsetMs === null) return theOnlyInstant(iso.wallClockMs, zone ?? defaultZone)
    return zone === null ? iso.wallClockMs - iso.offsetMs : problem('names a time zone besides its offset: give one of the two')
  }
  return readRelative(words, nowMs) ?? readCalendar(words, zone ?? defaultZone, nowMs)
}

/** `now`, `in 2 hours`, `in an hour`, `30 minutes from now`: a length of time from now on, to the millisecond. */
function readRelative(words: string, nowMs: number): number | null {
  if (/^(?:right )?now$/i.test(words)) return nowMs
  const [, after, before] = /^(?:in|after) (.+)$|^(.+) (?:from now|later)$/i.exec(words.replace(/\.$/, '')) ?? []
  const counted = (after ?? before ?? '').replace(/^half an hour$/i, '30 minutes').replace(/^(?:an?|one) /i, '1 ')
  const durationMs = parseDuration(counted.replace(NUMBER_WORD, (word) => String(NUMBER_WORDS.indexOf(word.toLowerCase()) + 2)))
  return durationMs === null ? null : nowMs + durationMs
}

const NUMBER_WORDS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const NUMBER_WORD = new RegExp(`\\b(?:${NUMBER_WORDS.join('|')})\\b`, 'gi')

/** A day and a time of day, or a time of day alone. */
function readCalendar(words: string, zone: TimeZone, nowMs: number): number | Problem {
  const nowThereMs = wallClockAt(nowMs, zone)
  const found = readCalendarTime(words, nowThereMs)
  if (isProblem(found)) return found
  const { wallClockMs, repeatsAfterMs } = found
  const isOver = wallClockMs < nowThereMs && instantsAt(wallClockMs, zone).every((instantMs) => instantMs < nowMs - PAST_GRACE_MS)
  return theOnlyInstant(isOver && repeatsAfterMs !== null ? wallClockMs + repeatsAfterMs : wallClockMs, zone)
}

function theOnlyInstant(wallClockMs: WallClockMs, zone: TimeZone): number | Problem {
  const [first, second] = instantsAt(wallClockMs, zone)
  if (first === undefined) return problem('does not exist in that time zone: the clocks are put forward at that hour')
  if (second === undefined) return first
  return problem('is ambiguous: that zone has this hour twice, or its name stands for several zones; give an offset such as `-05:00`')
}

/** `repeatsAfterMs`: a weekday or a time of day without a date means the next one, so one that has passed moves on by this much. */
type CalendarTime = { wallClockMs: WallClockMs; repeatsAfterMs: number | null }

/**
 * Reads a day and a time of day in English without a zone, such as `tomorrow at 9am`, `Friday at 15:00`, `Nov 25 at 3pm`, `9am`. `nowMs` is what a
 * clock in the zone shows now. An ambiguous text is a problem, because mail that was sent at the wrong time cannot be recalled.
 */
function readCalendarTime(text: string, nowMs: WallClockMs): CalendarTime | Problem {
  if (/\bmidnight\b/i.test(text)) return problem('is ambiguous: a day has a midnight at both ends; write `00:00` and the day')
  if (hasDayAndMonthInDoubt(text)) return problem('is ambiguous: it may be month first or day first; write the date as `YYYY-MM-DD`')
  const found = parseWhole(text, startOfDay(nowMs))
  if (found === null) return NOT_UNDERSTOOD
  if (!found.isCertain('hour')) return problem('names no time of day: add one, as in `tomorrow at 9am`')
  if (found.isCertain('month') && !found.isCertain('day')) return problem('names no day: add one, as in `November 21 at 9am`')
  if (isHalfOfDayInDoubt(found, text)) return problem('is ambiguous: say `am` or `pm`, or write the time as `15:00`')
  const wallClockMs = toWallClock(found)
  return checkWeekday(found, text, wallClockMs, nowMs) ?? { wallClockMs, repeatsAfterMs: findRepetition(found, text) }
}

const NOT_UNDERSTOOD = problem(
  'is not a time that can be understood: give an ISO 8601 time, `YYYY-MM-DDTHH:MM:SSZ`, or English such as `in 2 hours` or `tomorrow at 9am ET`',
)

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

const toWallClock = (found: ParsedComponents): WallClockMs =>
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
  if (new Date(wallClockMs).getUTCDay() !== found.get('weekday')) return problem('names a weekday that does not match its date')
  if (found.isCertain('day') || !/\bnext\b/i.test(text)) return null
  // Some people mean the coming Friday by "next Friday", others the one after it. It is accepted only if both are the same day.
  const daysAhead = (startOfDay(wallClockMs) - startOfDay(nowMs)) / DAY_MS
  return daysAhead > 7 ? problem('is ambiguous: the next such weekday may be in this week or in the one after it; write the date') : null
}

function findRepetition(found: ParsedComponents, text: string): number | null {
  if (found.isCertain('day') || /\b(?:this|last|past|previous)\b/i.test(text)) return null
  return found.isCertain('weekday') ? 7 * DAY_MS : DAY_MS
}
