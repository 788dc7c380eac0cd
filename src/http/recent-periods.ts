// The last day in hours, or the last weeks in days, for numbers that are counted when they are asked for. In UTC.
import { Type } from '@sinclair/typebox'
import { DAY_MS, HOUR_MS } from '../lib/clock.ts'
import { Enum } from '../lib/validation/common.schema.ts'

const SPANS = {
  day: { stepMs: HOUR_MS, steps: 24 },
  week: { stepMs: HOUR_MS, steps: 7 * 24 },
  month: { stepMs: DAY_MS, steps: 30 },
} as const

export type RecentSpan = keyof typeof SPANS

export const SpanQuery = Type.Object({
  span: Type.Optional(
    Enum(['day', 'week', 'month'], {
      description: 'What to count: the last 24 hours or 7 days by the hour, or the last 30 days by the day, in UTC. Default: `day`.',
    }),
  ),
})

export type RecentPeriods = { since: Date; stepMs: number; starts: Date[] }

/** Whole periods, the last one being the present one. */
export function recentPeriods(span: RecentSpan, now: Date): RecentPeriods {
  const { stepMs, steps } = SPANS[span]
  const lastMs = Math.floor(now.getTime() / stepMs) * stepMs
  const starts = Array.from({ length: steps }, (_, index) => new Date(lastMs - (steps - 1 - index) * stepMs))
  return { since: starts[0] ?? now, stepMs, starts }
}

/** The rows in the order of the periods, with an empty one where there is none. */
export function withEveryPeriod<Row extends { start: Date }>(
  { starts }: RecentPeriods,
  rows: readonly Row[],
  empty: Omit<Row, 'start'>,
): Row[] {
  const known = new Map(rows.map((row) => [row.start.getTime(), row]))
  return starts.map((start) => known.get(start.getTime()) ?? ({ ...empty, start } as Row))
}
