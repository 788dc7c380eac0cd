// Which time is looked at, in whole days of a zone, and the same length of time before it.
import { beginningOfDay } from '../parts/zones'
import type { Granularity } from './periods'

export type SpanName = 'day' | 'week' | 'month' | 'quarter' | 'year'

type SpanRule = { days: number; granularity: Granularity; choices: readonly Granularity[] }

export const SPANS: Readonly<Record<SpanName, SpanRule>> = {
  day: { days: 1, granularity: 'hourly', choices: ['hourly'] },
  week: { days: 7, granularity: 'daily', choices: ['hourly', 'daily'] },
  month: { days: 30, granularity: 'daily', choices: ['daily', 'weekly'] },
  quarter: { days: 90, granularity: 'daily', choices: ['daily', 'weekly', 'monthly'] },
  year: { days: 365, granularity: 'monthly', choices: ['weekly', 'monthly'] },
}

export type Range = { start_date: string; end_date?: string }
export type Span = { now: Range; before: Range }

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS

/** A day is the last 24 hours; everything else ends with today. */
export function spanOf(name: SpanName, zone: string, now: Date): Span {
  const { days } = SPANS[name]
  if (name === 'day') {
    const start = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - DAY_MS + HOUR_MS
    return {
      now: { start_date: new Date(start).toISOString() },
      before: { start_date: new Date(start - DAY_MS).toISOString(), end_date: new Date(start).toISOString() },
    }
  }
  const today = dayIn(zone, now)
  const start = daysBefore(today, days - 1)
  return { now: { start_date: start }, before: { start_date: daysBefore(start, days), end_date: start } }
}

/** Turns the range into days in UTC, which some operations take alone: a day there begins at another time than in a zone. */
export const instantsOf = ({ start_date, end_date }: Range, zone: string): Range => ({
  start_date: beginningOf(start_date, zone),
  ...(end_date !== undefined && { end_date: beginningOf(end_date, zone) }),
})

const beginningOf = (day: string, zone: string): string => (day.length > DAY_LENGTH ? day : beginningOfDay(day, zone).toISOString())
const DAY_LENGTH = 10

/** `2026-11-20`, as one writes it there. */
const dayIn = (zone: string, date: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(date)

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, day.length)
