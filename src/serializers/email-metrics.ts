import { type EmailMetric, metricsOf } from '../lib/email-metrics.ts'
import type { EmailMetrics } from '../schemas/email-metrics.ts'

type Counts = Parameters<typeof metricsOf>[0]

type Counted = {
  startMs: number
  endMs: number
  totals: Counts
  rows: {
    period: string | null
    domain: { id: string | null; name: string } | null
    emailId: string | null
    broadcast: { id: string; name: string | null } | null
    counts: Counts
  }[]
}

type Asked = Pick<EmailMetrics, 'dimensions' | 'granularity'> & { metrics: EmailMetric[] }

export const toEmailMetrics = ({ startMs, endMs, totals, rows }: Counted, { metrics, dimensions, granularity }: Asked): EmailMetrics => ({
  object: 'metrics',
  start_date: new Date(startMs).toISOString(),
  end_date: new Date(endMs).toISOString(),
  metrics,
  dimensions,
  granularity,
  totals: metricsOf(totals, metrics),
  ...(dimensions.length > 0 && {
    data: rows.map(({ period, domain, emailId, broadcast, counts }) => ({
      ...(period !== null && { period }),
      ...(domain !== null && { domain_id: domain.id, domain_name: domain.name }),
      ...(emailId !== null && { email_id: emailId }),
      ...(broadcast !== null && { broadcast_id: broadcast.id, broadcast_name: broadcast.name }),
      ...metricsOf(counts, metrics),
    })),
  }),
})
