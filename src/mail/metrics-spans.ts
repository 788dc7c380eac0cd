// The spans of time that people choose from when they look at metrics, and the span before each, to compare with.
import { calendarPeriods, type Granularity, type Period } from './times/calendar-periods.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Choice = { name: string; granularity: Granularity; backMs: number; noun: string }

/** `backMs`: from now back into the first period. */
export const SPANS = {
  day: { name: 'Last 24 hours', granularity: 'hourly', backMs: 23 * HOUR_MS, noun: 'Hour' },
  week: { name: 'Last 7 days', granularity: 'daily', backMs: 6 * DAY_MS, noun: 'Day' },
  month: { name: 'Last 30 days', granularity: 'daily', backMs: 29 * DAY_MS, noun: 'Day' },
  quarter: { name: 'Last 13 weeks', granularity: 'weekly', backMs: 12 * 7 * DAY_MS, noun: 'Week from' },
  year: { name: 'Last 12 months', granularity: 'monthly', backMs: 335 * DAY_MS, noun: 'Month' },
} as const satisfies Record<string, Choice>

export type SpanKey = keyof typeof SPANS

export const SPAN_KEYS: readonly SpanKey[] = ['day', 'week', 'month', 'quarter', 'year']

export const SPAN_DEFAULT: SpanKey = 'week'

export type MetricsSpan = {
  granularity: Granularity
  startMs: number
  endMs: number
  periods: Period[]
  /** The time before this span, of the same length: it ends where the span begins. */
  before: { startMs: number; endMs: number }
}

/** Whole periods of a zone, and what has passed of the last one. */
export function metricsSpan(key: SpanKey, zone: string, now: Date): MetricsSpan {
  const { granularity, backMs } = SPANS[key]
  const endMs = now.getTime() + 1
  const periods = calendarPeriods({ fromMs: endMs - backMs, toMs: endMs, zone, granularity })
  const startMs = periods[0]?.startMs ?? endMs
  return { granularity, startMs, endMs, periods, before: { startMs: startMs - (endMs - startMs), endMs: startMs } }
}
