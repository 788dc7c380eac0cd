import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useRecord } from '../api/queries'
import { periodNames } from '../metrics/periods'
import { FoldedSection } from '../parts/FoldedSection'
import { LoadingMark } from '../parts/Loading'
import { sumOf } from '../parts/numbers'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'

const NumbersChart = lazy(() => import('../parts/NumbersChart'))

/** How many people came and left, on each of the last 30 days. */
export function Growth() {
  const { data } = useRecord('/contacts/metrics')
  if (!data?.data.some(({ added, unsubscribed }) => added + unsubscribed > 0)) return null
  const sums = [
    TEXTS.addedIn(sumOf(data.data.map(({ added }) => added))),
    TEXTS.unsubscribedIn(sumOf(data.data.map((day) => day.unsubscribed))),
  ].join(', ')
  return (
    <FoldedSection title={TEXTS.growth} summary={data.data.some(({ is_bounded }) => is_bounded) ? TEXTS.atLeast(sums) : sums}>
      <Suspense fallback={<LoadingMark />}>
        <NumbersChart
          title={TEXTS.growth}
          period={TEXTS.day}
          kind="bars"
          points={data.data.map(({ date, added, unsubscribed }) => ({ ...periodNames(date, 'daily'), added, unsubscribed }))}
          series={[
            { name: 'added', label: TEXTS.addedContacts, color: 'teal.6' },
            { name: 'unsubscribed', label: TEXTS.unsubscribedContacts, color: 'red.6' },
          ]}
        />
      </Suspense>
      {data.data.some(({ is_bounded }) => is_bounded) && (
        <Text size="sm" c="dimmed">
          {TEXTS.bounded}
        </Text>
      )}
    </FoldedSection>
  )
}
