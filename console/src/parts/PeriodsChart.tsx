import { Loader, SegmentedControl, Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { periodNames } from '../metrics/periods'
import { PERIOD_TEXTS as TEXTS } from '../texts/periods'
import type { Series } from './NumbersChart'

const NumbersChart = lazy(() => import('./NumbersChart'))

export type Span = keyof typeof TEXTS.spans
type Row = { period: string }

type PeriodsChartProps<Numbers extends Row> = {
  title: string
  rows: readonly Numbers[] | undefined
  series: readonly (Series & { name: keyof Numbers & string })[]
  span: Span
  onSpan: (span: Span) => void
  /** What is said instead, if nothing was counted. */
  empty: string
  format?: (value: number) => string
}

const DAY_LENGTH = 10

/** Numbers by the hour or day, over a span that can be chosen. */
export function PeriodsChart<Numbers extends Row>({ title, rows, series, span, onSpan, empty, format }: PeriodsChartProps<Numbers>) {
  const isHourly = rows?.[0]?.period.slice(0, DAY_LENGTH) === rows?.[1]?.period.slice(0, DAY_LENGTH)
  const points = (rows ?? []).map((row) => ({
    ...periodNames(row.period, isHourly ? 'hourly' : 'daily'),
    ...Object.fromEntries(series.map(({ name }) => [name, Number(row[name] ?? 0)])),
  }))
  const isNothing = points.every((point) => series.every(({ name }) => (point as Record<string, unknown>)[name] === 0))
  return (
    <Stack gap="sm">
      <SegmentedControl
        w="fit-content"
        data={Object.entries(TEXTS.spans).map(([value, label]) => ({ value, label }))}
        value={span}
        onChange={(value) => onSpan(value as Span)}
      />
      {rows && isNothing && <Text c="dimmed">{empty}</Text>}
      {rows && !isNothing && (
        <Suspense fallback={<Loader aria-label={title} />}>
          <NumbersChart
            title={title}
            points={points}
            series={series}
            period={isHourly ? TEXTS.hour : TEXTS.day}
            {...(format && { format })}
          />
        </Suspense>
      )}
    </Stack>
  )
}
