import { Box, SimpleGrid, Text } from '@mantine/core'
import { isUntracked, type Tracked } from '../domains/tracked'
import NumbersChart, { type Series } from '../parts/NumbersChart'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { useMay } from '../session/me'
import { METRIC_TEXTS as TEXTS } from '../texts/metrics'
import type { EmailMetrics } from './MetricsPage'
import { BOUNCE_MARKS, COMPLAINT_MARKS, percent } from './marks'
import { type Granularity, periodNames } from './periods'

type MetricChartsProps = { metrics: EmailMetrics; granularity: Granularity; zone: string; tracked: Tracked | null }
type Name = keyof typeof TEXTS.names

const seriesOf = (name: Name, color: string): Series => ({ name, label: TEXTS.names[name], color })

const CHARTS: readonly { title: string; series: readonly Series[] }[] = [
  {
    title: TEXTS.sending,
    series: [seriesOf('received', 'gray.6'), seriesOf('sent', 'blue.6'), seriesOf('delivered', 'teal.6')],
  },
  { title: TEXTS.reading, series: [seriesOf('unique_opened', 'indigo.6'), seriesOf('unique_clicked', 'violet.4')] },
  { title: TEXTS.trouble, series: [seriesOf('bounced', 'orange.6'), seriesOf('complained', 'red.6')] },
]

/** What happened over time. Each chart has its numbers. */
export default function MetricCharts({ metrics, granularity, zone, tracked }: MetricChartsProps) {
  const rows = metrics.data ?? []
  const names = rows.map(({ period = '' }) => periodNames(period, granularity))
  const period = TEXTS.period(TEXTS.granularities[granularity], zone)
  const rateOf = (part: 'bounced' | 'complained', whole: 'sent' | 'delivered') =>
    rows.map((row, index) => ({ at: '', whole: '', ...names[index], rate: shareIn(row[part], row[whole]) }))
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      {CHARTS.map(({ title, series }, index) => (
        <Box key={title} {...(index === 0 && { style: WHOLE_ROW })}>
          <Section title={title}>
            {series.every(({ name }) => isUntracked(name, metrics.totals[name as Name] ?? 0, tracked)) ? (
              <Untracked />
            ) : (
              <NumbersChart
                title={title}
                period={period}
                series={series}
                points={rows.map((row, index) => ({
                  ...{ at: '', whole: '' },
                  ...names[index],
                  ...Object.fromEntries(series.map(({ name }) => [name, row[name as Name] ?? 0])),
                }))}
              />
            )}
          </Section>
        </Box>
      ))}
      <Section title={TEXTS.rates}>
        <Text size="sm" c="dimmed">
          {TEXTS.ratesHint}
        </Text>
        <NumbersChart
          title={TEXTS.rates}
          period={period}
          series={[{ name: 'rate', label: TEXTS.rate, color: 'red.6' }]}
          points={rateOf('complained', 'delivered')}
          format={percent}
          marks={COMPLAINT_MARKS}
        />
      </Section>
      <Section title={TEXTS.bounceRates}>
        <Text size="sm" c="dimmed">
          {TEXTS.bouncesHint}
        </Text>
        <NumbersChart
          title={TEXTS.bounceRates}
          period={period}
          series={[{ name: 'rate', label: TEXTS.rate, color: 'orange.6' }]}
          points={rateOf('bounced', 'sent')}
          format={percent}
          marks={BOUNCE_MARKS}
        />
      </Section>
    </SimpleGrid>
  )
}

function Untracked() {
  const may = useMay()
  return (
    <Text c="dimmed">
      {TEXTS.untracked}{' '}
      {may('domains:read') && (
        <PageLink to="/domains" underline="always">
          {TEXTS.toDomains}
        </PageLink>
      )}
    </Text>
  )
}

const WHOLE_ROW = { gridColumn: '1 / -1' }

const shareIn = (part = 0, whole = 0): number => (whole === 0 ? 0 : (part / whole) * 100)
