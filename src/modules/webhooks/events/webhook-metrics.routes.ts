import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { recentPeriods, SpanQuery, withEveryPeriod } from '../../../http/recent-periods.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import { EXAMPLE_TIME, Id, Kind, Named, Nullable, Timestamp } from '../../../lib/validation/common.schema.ts'
import type { WebhooksContext } from '../webhooks.context.ts'
import { WEBHOOKS, WebhookParams } from '../webhooks.schema.ts'
import { WEBHOOK_ATTEMPTS_COUNTED_MAX, type WebhookPeriodRow } from './webhook-metrics.repository.ts'

type Context = PlatformContext & WebhooksContext

const count = (description: string) => Type.Integer({ description })
const duration = (description: string) => Nullable(Type.Integer({ description: `${description}; null if there was none.` }))

export const WebhookMetrics = Named(
  'WebhookMetrics',
  Type.Object(
    {
      object: Kind('webhook_metrics'),
      webhook_id: Id('Id of the webhook.'),
      is_complete: Type.Boolean({
        description: `Whether all requests of the span were counted: otherwise, those about the newest events, ${WEBHOOK_ATTEMPTS_COUNTED_MAX.toLocaleString('en')} of them.`,
      }),
      data: Type.Array(
        Type.Object({
          period: Timestamp('Beginning of the hour or day, in UTC.'),
          success: count('Requests that the endpoint took.'),
          failure: count('Requests that failed.'),
          unknown: count('Requests whose outcome is not known, because the process that sent them died.'),
          median_ms: duration('How long half of the requests took at most, in milliseconds'),
          slow_ms: duration('How long 95 % of the requests took at most, in milliseconds'),
        }),
        { description: 'The periods, the oldest first.' },
      ),
    },
    { description: 'How requests to the endpoint of a webhook ended.' },
  ),
)

const NOTHING = { success: 0, failure: 0, unknown: 0, medianMs: null, slowMs: null }

const toPeriod = ({
  start,
  medianMs,
  slowMs,
  success,
  failure,
  unknown,
}: WebhookPeriodRow): Static<typeof WebhookMetrics>['data'][number] => ({
  ...{ period: toTimestamp(start), success, failure, unknown, median_ms: medianMs, slow_ms: slowMs },
})

const operation = declareOperations(WEBHOOKS)

export const webhookMetricRoutes: Routes<Context> = async (app, { context: { repositories, clock } }) => {
  app.get(
    '/webhooks/:webhook_id/metrics',
    operation({
      id: 'webhooks.metrics.retrieve',
      summary: 'Count the requests of a webhook',
      description:
        'Returns how many requests to the endpoint of a webhook succeeded and failed, and how long they took, by the hour or day. Requests are kept as long as request logs.',
      access: 'full',
      audit: 'never',
      params: WebhookParams,
      query: SpanQuery,
      reply: { 200: WebhookMetrics },
      example: {
        reply: {
          object: 'webhook_metrics',
          webhook_id: WEBHOOKS.example.id,
          is_complete: true,
          data: [{ period: EXAMPLE_TIME, success: 120, failure: 2, unknown: 0, median_ms: 84, slow_ms: 310 }],
        },
      },
    }),
    async ({ teamId, params, query }) => {
      const webhook = await repositories.webhooks.find(teamId, params.webhook_id)
      if (!webhook) throw notFound(WEBHOOKS.noun)
      const periods = recentPeriods(query.span ?? 'day', clock.now())
      const { rows, isComplete } = await repositories.webhookMetrics.count(teamId, webhook.id, periods)
      const data = withEveryPeriod(periods, rows, NOTHING).map(toPeriod)
      return { object: 'webhook_metrics' as const, webhook_id: webhook.id, is_complete: isComplete, data }
    },
  )
}
