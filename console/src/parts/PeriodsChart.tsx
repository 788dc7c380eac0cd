import { SegmentedControl, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { periodNames } from '../metrics/periods'
import { PERIOD_TEXTS as TEXTS } from '../texts/periods'
import { Awaited } from './Awaited'
import { LoadingMark } from './Loading'
import type { Series } from './NumbersChart'

const NumbersChart = lazy(() => import('./NumbersChart'))

export type Span = keyof typeof TEXTS.spans
type Row = { period: string }

type PeriodsChartProps<Numbers extends Row> = {
  title: string
  read: Pick<UseQueryResult<{ data: readonly Numbers[] }>, 'data' | 'error' | 'refetch'>
  series: readonly (Series & { name: keyof Numbers & string })[]
  span: Span
  onSpan: (span: Span) => void
  /** What is said instead, if nothing was counted. */
  empty: string
  format?: (value: number) => string
  axisFormat?: (value: number) => string
}

const DAY_LENGTH = 10

/** Numbers by the hour or day, over a span that can be chosen. */
export function PeriodsChart<Numbers extends Row>({
  title,
  read,
  series,
  span,
  onSpan,
  empty,
  format,
  axisFormat,
}: PeriodsChartProps<Numbers>) {
  const rows = read.data?.data
  const days = new Set(rows?.map(({ period }) => period.slice(0, DAY_LENGTH)))
  // The first two may be the last hour of a day and the first of the next.
  const isHourly = rows !== undefined && days.size < rows.length
  const points = (rows ?? []).map((row) => ({
    ...periodNames(row.period, isHourly ? 'hourly' : 'daily'),
    ...Object.fromEntries(series.map(({ name }) => [name, row[name] as number | null])),
  }))
  const isNothing = (rows ?? []).every((row) => series.every(({ name }) => !row[name]))
  return (
    <Stack gap="sm">
      <SegmentedControl
        w="fit-content"
        aria-label={TEXTS.span(title)}
        data={Object.entries(TEXTS.spans).map(([value, label]) => ({ value, label }))}
        value={span}
        onChange={(value) => onSpan(value as Span)}
      />
      {!rows && <Awaited read={read} />}
      {rows && isNothing && <Text c="dimmed">{empty}</Text>}
      {rows && !isNothing && (
        <>
          <Text size="sm" c="dimmed">
            {isHourly ? TEXTS.hours : TEXTS.days}
          </Text>
          <Suspense fallback={<LoadingMark label={title} />}>
            <NumbersChart
              title={title}
              points={points}
              series={series}
              period={isHourly ? TEXTS.hour : TEXTS.day}
              {...(format && { format })}
              {...(axisFormat && { axisFormat })}
            />
          </Suspense>
        </>
      )}
    </Stack>
  )
}
