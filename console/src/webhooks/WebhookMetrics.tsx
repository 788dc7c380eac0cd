import { Text } from '@mantine/core'
import { useState } from 'react'
import { useRecord } from '../api/queries'
import { countOf, shortDuration } from '../parts/numbers'
import { PeriodsChart, type Span } from '../parts/PeriodsChart'
import { Section } from '../parts/Section'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'

const inMs = (value: number): string => `${countOf(value)} ms`

/** Whether the endpoint takes what it is sent, and how fast. */
export function WebhookMetrics({ webhookId }: { webhookId: string }) {
  const [span, setSpan] = useState<Span>('week')
  const [speedSpan, setSpeedSpan] = useState<Span>('week')
  const path = { webhook_id: webhookId }
  const counts = useRecord('/webhooks/{webhook_id}/metrics', { path, query: { span } })
  const speed = useRecord('/webhooks/{webhook_id}/metrics', { path, query: { span: speedSpan } })
  return (
    <>
      <Section title={TEXTS.requests}>
        <PeriodsChart
          title={TEXTS.requests}
          read={counts}
          span={span}
          onSpan={setSpan}
          empty={TEXTS.noRequests}
          series={[
            { name: 'success', label: TEXTS.statuses.success, color: 'teal.6' },
            { name: 'failure', label: TEXTS.statuses.failed, color: 'red.6' },
          ]}
        />
        {counts.data && !counts.data.is_complete && (
          <Text size="sm" c="dimmed">
            {TEXTS.notAll}
          </Text>
        )}
      </Section>
      <Section title={TEXTS.latency}>
        <PeriodsChart
          title={TEXTS.latency}
          read={speed}
          span={speedSpan}
          onSpan={setSpeedSpan}
          empty={TEXTS.noRequests}
          format={inMs}
          axisFormat={shortDuration}
          series={[
            { name: 'median_ms', label: TEXTS.median, color: 'blue.6' },
            { name: 'slow_ms', label: TEXTS.slow, color: 'orange.6' },
          ]}
        />
      </Section>
    </>
  )
}
