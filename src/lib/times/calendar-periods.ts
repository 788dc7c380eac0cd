// The hours, days, weeks and months of a time zone, as its clocks show them.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../clock.ts'
import { wallClockAt } from './time-zones.ts'

export const GRANULARITIES = ['hourly', 'daily', 'weekly', 'monthly'] as const

export type Granularity = (typeof GRANULARITIES)[number]

/** It begins at this instant and ends where the next one begins. */
export type Period = { startMs: number; name: string }

type Span = { fromMs: number; toMs: number; zone: string; granularity: Granularity }

/**
 * The periods that a span touches, in order. Hours have the offset in their names, so that the hour that exists twice is two periods; the one that
 * the clocks skip is none, and neither is a day that a zone left out. A week begins on Monday.
 */
export function calendarPeriods({ fromMs, toMs, zone, granularity }: Span): Period[] {
  const periods: Period[] = []
  if (fromMs >= toMs) return periods
  for (const { startMs, endMs, offsetMs } of segments(zone, fromMs, toMs)) {
    for (let wallMs = periodStart(startMs + offsetMs, granularity); wallMs < endMs + offsetMs; wallMs = nextPeriod(wallMs, granularity)) {
      const name = nameOf(wallMs, offsetMs, granularity)
      const last = periods.at(-1)
      if (!last) periods.push({ startMs: periodInstant(zone, wallMs, offsetMs), name })
      // A clock that is put back at midnight shows the day before a second time.
      else if (granularity === 'hourly' ? name !== last.name : name > last.name)
        periods.push({ startMs: Math.max(startMs, wallMs - offsetMs), name })
    }
  }
  return periods
}

/** How many there would be, without making them. Changes of the clocks are left out of account. */
export function periodCount({ fromMs, toMs, zone, granularity }: Span): number {
  if (fromMs >= toMs) return 0
  if (granularity === 'hourly') return Math.floor((toMs - 1) / HOUR_MS) - Math.floor(fromMs / HOUR_MS) + 1
  const first = new Date(periodStart(wallClockIn(zone, fromMs), granularity))
  const last = new Date(periodStart(wallClockIn(zone, toMs - 1), granularity))
  if (granularity === 'monthly') return (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth() + 1
  return (last.getTime() - first.getTime()) / (granularity === 'daily' ? DAY_MS : WEEK_MS) + 1
}

/** The name of a zone of the IANA database as the database writes it; null for anything else. */
export function ianaZone(name: string): string | null {
  if (!/^[a-z][a-z0-9_+/-]{0,63}$/i.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

const WEEK_MS = 7 * DAY_MS
/** The first Monday after 1970 began. */
const A_MONDAY_MS = 4 * DAY_MS

function periodStart(wallMs: number, granularity: Granularity): number {
  switch (granularity) {
    case 'hourly':
      return Math.floor(wallMs / HOUR_MS) * HOUR_MS
    case 'daily':
      return Math.floor(wallMs / DAY_MS) * DAY_MS
    case 'weekly':
      return Math.floor((wallMs - A_MONDAY_MS) / WEEK_MS) * WEEK_MS + A_MONDAY_MS
    case 'monthly': {
      const day = new Date(wallMs)
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth())
    }
  }
}

function nextPeriod(wallMs: number, granularity: Granularity): number {
  switch (granularity) {
    case 'hourly':
      return wallMs + HOUR_MS
    case 'daily':
      return wallMs + DAY_MS
    case 'weekly':
      return wallMs + WEEK_MS
    case 'monthly': {
      const day = new Date(wallMs)
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1)
    }
  }
}

const nameOf = (wallMs: number, offsetMs: number, granularity: Granularity): string =>
  granularity === 'hourly'
    ? `${new Date(wallMs).toISOString().slice(0, 19)}${offsetName(offsetMs)}`
    : new Date(wallMs).toISOString().slice(0, 10)

function offsetName(offsetMs: number): string {
  if (offsetMs === 0) return 'Z'
  const minutes = Math.abs(offsetMs) / MINUTE_MS
  const two = (value: number) => String(value).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** The first period may have begun before the span, and under another offset. */
function periodInstant(zone: string, wallMs: number, offsetMs: number): number {
  const offsetThen = offsetAt(zone, wallMs - offsetMs)
  return wallMs - offsetThen
}

type Segment = { startMs: number; endMs: number; offsetMs: number }

/** The parts of a span in which the clocks of a zone are not changed. They change at most once within a week. */
function* segments(zone: string, fromMs: number, toMs: number): Generator<Segment> {
  let startMs = fromMs
  let offsetMs = offsetAt(zone, fromMs)
  for (let knownMs = fromMs; knownMs < toMs; ) {
    const lookMs = Math.min(Math.max(knownMs, CHANGES_SINCE_MS) + WEEK_MS, toMs)
    const offsetThen = offsetAt(zone, lookMs)
    if (offsetThen !== offsetMs) {
      const changeMs = changeBetween(zone, knownMs, lookMs, offsetMs)
      yield { startMs, endMs: changeMs, offsetMs }
      startMs = changeMs
      offsetMs = offsetThen
    }
    knownMs = lookMs
  }
  if (startMs < toMs) yield { startMs, endMs: toMs, offsetMs }
}

/** For the centuries before, only one offset is looked up: nothing was counted then. */
const CHANGES_SINCE_MS = Date.UTC(1990, 0)

/** The first minute with another offset. */
function changeBetween(zone: string, beforeMs: number, afterMs: number, offsetMs: number): number {
  let before = Math.floor(beforeMs / MINUTE_MS)
  let after = Math.ceil(afterMs / MINUTE_MS)
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(zone, middle * MINUTE_MS) === offsetMs) before = middle
    else after = middle
  }
  return after * MINUTE_MS
}

const wallClockIn = (zone: string, instantMs: number): number => wallClockAt(instantMs, { names: [zone], daylight: null })

const offsetAt = (zone: string, instantMs: number): number => wallClockIn(zone, instantMs) - instantMs
