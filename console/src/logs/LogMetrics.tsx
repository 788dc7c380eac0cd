import { Text } from '@mantine/core'
import { useState } from 'react'
import { useRecord } from '../api/queries'
import { PeriodsChart, type Span } from '../parts/PeriodsChart'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { LOG_TEXTS as TEXTS } from '../texts/logs'

/** How many requests were done, refused and failed over time. */
export function LogMetrics() {
  const [span, setSpan] = useState<Span>('day')
  const read = useRecord('/logs/metrics', { query: { span } })
  return (
    <Section title={TEXTS.overTime}>
      <PeriodsChart
        title={TEXTS.overTime}
        read={read}
        span={span}
        onSpan={setSpan}
        empty={TEXTS.noneInSpan}
        series={[
          { name: 'succeeded', label: TEXTS.done, color: 'teal.6' },
          { name: 'client_errors', label: TEXTS.refused, color: 'orange.6' },
          { name: 'server_errors', label: TEXTS.failed, color: 'red.6' },
        ]}
      />
      {read.data?.counted_from && (
        <Text size="sm" c="dimmed">
          {TEXTS.countedFrom} <Time at={read.data.counted_from} />
        </Text>
      )}
    </Section>
  )
}
