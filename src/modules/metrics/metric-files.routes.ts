// What happened to emails, in numbers, as a CSV file.
import { CsvFile, sendCsv } from '../../http/csv-reply.ts'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import type { MetricsContext } from './metrics.context.ts'
import { toEmailMetrics } from './metrics.routes.ts'
import { type EmailMetrics, EmailMetricsQuery } from './metrics.schema.ts'
import { countEmails } from './metrics.service.ts'
import { readMetricsRequest } from './metrics-request.ts'

type Context = PlatformContext & MetricsContext

/** The columns of each dimension. */
const COLUMNS_OF = {
  period: ['period'],
  domain: ['domain_name'],
  email: ['email_id'],
  broadcast: ['broadcast_id', 'broadcast_name'],
} as const

const MetricFile = CsvFile(
  'EmailMetricsFile',
  ['period'],
  ' and those of the other dimensions that were asked for, and each metric by its name',
)

const operation = declareOperations(EMAILS)

export const metricFileRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/emails/metrics/export',
    operation({
      id: 'emails.metrics.export',
      summary: 'Export metrics as CSV',
      description: 'Returns the rows of `GET /emails/metrics` with the same parameters as a CSV file; without dimensions, the totals.',
      access: 'full',
      audit: 'never',
      isCount: true,
      file: 'text/csv',
      query: EmailMetricsQuery,
      reply: { 200: MetricFile },
      example: { reply: 'period,sent,delivered\r\n2026-11-20,1200,1173\r\n' },
    }),
    async ({ teamId, query }, reply) => {
      const request = readMetricsRequest(query, context.clock.now())
      const metrics = toEmailMetrics(await countEmails(context, teamId, request), request)
      const columns = [...metrics.dimensions.flatMap((dimension) => COLUMNS_OF[dimension]), ...metrics.metrics]
      return sendCsv(reply, { name: 'metrics.csv', columns, rows: rowsOf(metrics, columns) })
    },
  )
}

async function* rowsOf({ data, totals }: EmailMetrics, columns: string[]) {
  const rows: Record<string, unknown>[] = data ?? [totals]
  yield rows.map((row) => columns.map((column) => row[column] as string | number | null | undefined))
}
