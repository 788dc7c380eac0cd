import { Card, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { RecordOf } from '../api/queries'
import { countOf } from '../parts/numbers'
import { PageLink } from '../parts/PageLink'
import { OVERVIEW_TEXTS as TEXTS } from '../texts/overview'

type Overview = RecordOf<'/overview'>
const METRICS = ['received', 'delivered', 'bounced', 'complained'] as const
type Metric = (typeof METRICS)[number]

const DayLine = lazy(() => import('./DayLine'))
const CHART_HEIGHT = 48

/** The states under which the list of emails shows what a number counts. */
const STATES: Readonly<Record<Metric, string>> = { received: '', delivered: 'delivered', bounced: 'bounced', complained: 'complained' }
const COLORS: Readonly<Record<Metric, string>> = { received: 'indigo.6', delivered: 'green.6', bounced: 'red.6', complained: 'orange.6' }

export const Numbers = ({ overview }: { overview: Overview }) => (
  <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
    {METRICS.map((metric) => (
      <Card key={metric} withBorder p="md">
        <OneNumber metric={metric} overview={overview} />
      </Card>
    ))}
  </SimpleGrid>
)

function OneNumber({
  metric,
  overview: { days, today, last_7_days: week, previous_7_days: before },
}: {
  metric: Metric
  overview: Overview
}) {
  const values = days.map((day) => day[metric])
  const name = TEXTS.metrics[metric]
  const state = STATES[metric]
  return (
    <Stack gap={4}>
      <PageLink to="/emails" search={state === '' ? {} : { status: state }} c="dimmed" fw={600} size="sm">
        {name}
      </PageLink>
      <Group gap={6} align="baseline">
        <Text fz={28} fw={700} lh={1.2}>
          {countOf(today[metric])}
        </Text>
        <Text c="dimmed" size="sm">
          {TEXTS.today}
        </Text>
      </Group>
      <Text size="sm">{TEXTS.inWeek(week[metric])}</Text>
      <Text size="xs" c="dimmed" mih="1.5em">
        {changeWords(week[metric], before[metric])}
      </Text>
      <div role="img" aria-label={`${TEXTS.chart(name)}: ${values.join(', ')}`}>
        <Suspense fallback={<Skeleton h={CHART_HEIGHT} />}>
          <DayLine values={values} color={COLORS[metric]} height={CHART_HEIGHT} />
        </Suspense>
      </div>
    </Stack>
  )
}

/** Nothing, if there was nothing before. */
function changeWords(week: number, before: number): string {
  if (before === 0) return ''
  const percent = Math.round(((week - before) * 100) / before)
  if (percent === 0) return TEXTS.same
  return percent > 0 ? TEXTS.more(percent) : TEXTS.less(-percent)
}
