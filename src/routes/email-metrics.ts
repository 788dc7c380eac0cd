import { METRIC_ROWS_MAX } from '../lib/email-metrics.ts'
import { readMetricsRequest } from '../mail/metrics-request.ts'
import { DOMAINS } from '../schemas/domains.ts'
import { COUNTS_KEPT_DAYS, EmailMetrics, EmailMetricsQuery, PERIODS_MAX } from '../schemas/email-metrics.ts'
import { EMAILS } from '../schemas/emails.ts'
import { toEmailMetrics } from '../serializers/email-metrics.ts'
import { countEmails } from '../services/count-emails.ts'
import { type Call, operation, routes } from './operation.ts'

export const emailMetricRoutes = routes(EMAILS, (context) => {
  async function retrieve({ teamId, query }: Call<{ query: typeof EmailMetricsQuery }>) {
    const request = readMetricsRequest(query, context.clock.now())
    return toEmailMetrics(await countEmails(context, teamId, request), request)
  }

  return [
    operation({
      id: 'emails.metrics.retrieve',
      method: 'GET',
      path: '/emails/metrics',
      summary: 'Retrieve metrics of emails',
      description: `Returns what happened to emails, in numbers. Separate several values by commas, or repeat the parameter. Quarters of an hour are counted as a whole. Counts are kept for ${COUNTS_KEPT_DAYS} days, those of broadcasts for good, and those of single emails for \`LOG_RETENTION_DAYS\`; an earlier \`start_date\` is moved. An answer has at most ${PERIODS_MAX.toLocaleString('en')} periods and ${METRIC_ROWS_MAX.toLocaleString('en')} rows.`,
      access: 'full',
      query: EmailMetricsQuery,
      reply: EmailMetrics,
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
      handle: retrieve,
    }),
  ]
})
