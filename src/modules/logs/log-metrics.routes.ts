import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { recentPeriods, SpanQuery, withEveryPeriod } from '../../http/recent-periods.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { EXAMPLE_TIME, Kind, Named, Nullable, Timestamp } from '../../lib/validation/common.schema.ts'
import { type LogPeriodRow, REQUESTS_COUNTED_MAX } from './log-metrics.repository.ts'
import type { LogsContext } from './logs.context.ts'
import { LOGS } from './logs.schema.ts'

type Context = PlatformContext & LogsContext

const count = (description: string) => Type.Integer({ description })

export const LogMetrics = Named(
  'LogMetrics',
  Type.Object(
    {
      object: Kind('log_metrics'),
      counted_from: Nullable(
        Timestamp(
          `When the oldest request was made that is counted, if there are more in the span: the newest ${REQUESTS_COUNTED_MAX.toLocaleString('en')} are. Otherwise null.`,
        ),
      ),
      data: Type.Array(
        Type.Object({
          period: Timestamp('Beginning of the hour or day, in UTC.'),
          requests: count('Requests in all.'),
          succeeded: count('Requests that were answered with a status from 200 to 299.'),
          redirected: count('Requests that were answered with a status from 300 to 399.'),
          client_errors: count('Requests that were refused: with a status from 400 to 499.'),
          server_errors: count('Requests that failed: with a status from 500 to 599.'),
        }),
        { description: 'The periods, the oldest first.' },
      ),
    },
    { description: 'How many requests a team made.' },
  ),
)

const NOTHING = { requests: 0, succeeded: 0, redirected: 0, clientErrors: 0, serverErrors: 0 }

const toPeriod = (row: LogPeriodRow): Static<typeof LogMetrics>['data'][number] => ({
  period: toTimestamp(row.start),
  requests: row.requests,
  succeeded: row.succeeded,
  redirected: row.redirected,
  client_errors: row.clientErrors,
  server_errors: row.serverErrors,
})

const operation = declareOperations(LOGS)

export const logMetricRoutes: Routes<Context> = async (app, { context: { repositories, clock } }) => {
  app.get(
    '/logs/metrics',
    operation({
      id: 'logs.metrics.retrieve',
      summary: 'Count logged requests',
      description: 'Returns how many requests the team made, by what they were answered with and by the hour or day.',
      access: 'full',
      audit: 'never',
      isCount: true,
      query: SpanQuery,
      reply: { 200: LogMetrics },
      example: {
        reply: {
          object: 'log_metrics',
          counted_from: null,
          data: [{ period: EXAMPLE_TIME, requests: 250, succeeded: 247, redirected: 0, client_errors: 3, server_errors: 0 }],
        },
      },
    }),
    async ({ teamId, query }) => {
      const periods = recentPeriods(query.span ?? 'day', clock.now())
      const { rows, countedFrom } = await repositories.logMetrics.count(teamId, periods)
      const data = withEveryPeriod(periods, rows, NOTHING).map(toPeriod)
      return { object: 'log_metrics' as const, counted_from: toTimestamp(countedFrom), data }
    },
  )
}
