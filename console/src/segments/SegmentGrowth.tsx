import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useRecord } from '../api/queries'
import { periodNames } from '../metrics/periods'
import { FoldedSection } from '../parts/FoldedSection'
import { LoadingMark } from '../parts/Loading'
import { sumOf } from '../parts/numbers'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'

const NumbersChart = lazy(() => import('../parts/NumbersChart'))

/** How many of its contacts came, on each of the last 30 days. */
export function SegmentGrowth({ id }: { id: string }) {
  const { data, error } = useRecord('/segments/{segment_id}/growth', { path: { segment_id: id } })
  if (!error && !data?.data.some(({ added }) => added > 0)) return null
  return (
    <FoldedSection title={TEXTS.growth} summary={TEXTS.addedIn(sumOf(data?.data.map(({ added }) => added) ?? []))}>
      {error && <Text c="dimmed">{error.message}</Text>}
      {data && (
        <>
          <Text size="sm" c="dimmed">
            {TEXTS.growthBy[data.by]}
          </Text>
          <Suspense fallback={<LoadingMark />}>
            <NumbersChart
              title={TEXTS.growth}
              period={TEXTS.day}
              kind="bars"
              points={data.data.map(({ date, added }) => ({ ...periodNames(date, 'daily'), added }))}
              series={[{ name: 'added', label: TEXTS.added, color: 'teal.6' }]}
            />
          </Suspense>
        </>
      )}
    </FoldedSection>
  )
}
