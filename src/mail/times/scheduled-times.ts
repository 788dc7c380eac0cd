import { parseDuration } from '../../lib/durations.ts'
import { parseIsoTime, type WallClockMs } from '../../lib/iso-times.ts'
import { isProblem, type Problem, problem } from '../../lib/problem.ts'
import { readCalendarTime } from './calendar-times.ts'
import { instantsAt, type TimeZone, timeZoneNamed, UTC, wallClockAt } from './time-zones.ts'

/**
 * When to send, from ISO 8601 or English (`in 2 hours`, `tomorrow at 9am`, `Friday at 3pm ET`). Without a zone it is UTC. Up to five seconds in the
 * past counts as now. A time further back, more than 30 days ahead, ambiguous or only partly understood is a problem. The result depends only on
 * `text` and `now`, not on the zone of the process.
 */
export function parseScheduledAt(text: string, now: Date): Date | Problem {
  if (text.length > TEXT_LENGTH_MAX) return problem(`may not be longer than ${TEXT_LENGTH_MAX} characters`)
  const { words, zones } = splitZones(text)
  if (zones.length > 1) return problem('names more than one time zone: name one')
  const instantMs = readTime(words, zones[0] ?? null, now.getTime())
  return typeof instantMs === 'number' ? withinWindow(instantMs, now) : instantMs
}

/** English sentences about a time are short, and the parser's work grows with the text. */
const TEXT_LENGTH_MAX = 100

/** A request may take a few seconds to arrive, and clocks differ a little. */
const PAST_GRACE_MS = 5_000

const DAY_MS = 86_400_000

/** An email can be scheduled so far ahead. */
export const DAYS_AHEAD_MAX = 30

function withinWindow(instantMs: number, now: Date): Date | Problem {
  const aheadMs = instantMs - now.getTime()
  if (aheadMs < -PAST_GRACE_MS) return problem(`is in the past (${new Date(instantMs).toISOString()}): give a time to come`)
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

function readTime(words: string, zone: TimeZone | null, nowMs: number): number | Problem {
  const iso = parseIsoTime(words)
  if (iso !== null) {
    if (isProblem(iso)) return iso
    if (iso.offsetMs === null) return theOnlyInstant(iso.wallClockMs, zone ?? UTC)
    return zone === null ? iso.wallClockMs - iso.offsetMs : problem('names a time zone besides its offset: give one of the two')
  }
  return readRelative(words, nowMs) ?? readCalendar(words, zone ?? UTC, nowMs)
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
