import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { DOMAINS } from '../domains/domains.schema.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import { type EmailMetric, METRIC_ROWS_MAX, toMetrics } from './email-metrics.ts'
import type { MetricsContext } from './metrics.context.ts'
import { COUNTS_KEPT_DAYS, EmailMetrics, EmailMetricsQuery, PERIODS_MAX } from './metrics.schema.ts'
import { countEmails } from './metrics.service.ts'
import { readMetricsRequest } from './metrics-request.ts'

type Context = PlatformContext & MetricsContext

type Counts = Parameters<typeof toMetrics>[0]

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
  totals: toMetrics(totals, metrics),
  ...(dimensions.length > 0 && {
    data: rows.map(({ period, domain, emailId, broadcast, counts }) => ({
      ...(period !== null && { period }),
      ...(domain !== null && { domain_id: domain.id, domain_name: domain.name }),
      ...(emailId !== null && { email_id: emailId }),
      ...(broadcast !== null && { broadcast_id: broadcast.id, broadcast_name: broadcast.name }),
      ...toMetrics(counts, metrics),
    })),
  }),
})

const operation = declareOperations(EMAILS)

export const emailMetricRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/emails/metrics',
    operation({
      id: 'emails.metrics.retrieve',
      summary: 'Retrieve metrics of emails',
      description: `Returns what happened to emails, in numbers. Separate several values by commas, or repeat the parameter. Quarters of an hour are counted as a whole. Counts are kept for ${COUNTS_KEPT_DAYS} days, those of broadcasts for good, and those of single emails for \`LOG_RETENTION_DAYS\`; an earlier \`start_date\` is moved. A response has at most ${PERIODS_MAX.toLocaleString('en')} periods and ${METRIC_ROWS_MAX.toLocaleString('en')} rows.`,
      access: 'full',
      audit: 'never',
      isCount: true,
      query: EmailMetricsQuery,
      reply: { 200: EmailMetrics },
      example: {
        reply: {
          object: 'metrics',
          start_date: '2026-11-14T09:30:00.000Z',
          end_date: '2026-11-20T09:30:00.000Z',
          metrics: ['sent', 'delivered', 'delivery_rate'],
          dimensions: ['domain'],
          granularity: 'daily',
          totals: { sent: 1_200, delivered: 1_173, delivery_rate: 97.8 },
          data: [{ domain_id: DOMAINS.example.id, domain_name: DOMAINS.example.name, sent: 1_200, delivered: 1_173, delivery_rate: 97.8 }],
        },
      },
    }),
    async ({ teamId, query }) => {
      const request = readMetricsRequest(query, context.clock.now())
      return toEmailMetrics(await countEmails(context, teamId, request), request)
    },
  )
}
