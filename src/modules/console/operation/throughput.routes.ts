// How much the installation sends, for operators.
import { Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { DAY_MS, toTimestamp } from '../../../lib/clock.ts'
import { EXAMPLE_TIME, Kind, Named, Timestamp } from '../../../lib/validation/common.schema.ts'
import { BUCKET_MS, bucketOf } from '../../metrics/email-metrics.ts'
import type { MetricsContext } from '../../metrics/metrics.context.ts'
import type { ThroughputRow } from '../../metrics/throughput.repository.ts'
import { OPERATION } from './operation.schema.ts'

type Context = PlatformContext & MetricsContext

const count = (description: string) => Type.Integer({ minimum: 0, description })

const Throughput = Named(
  'Throughput',
  Type.Object(
    {
      object: Kind('throughput'),
      data: Type.Array(
        Type.Object({
          start: Timestamp('When the quarter of an hour began.'),
          received: count('Recipients of emails that were accepted.'),
          sent: count('Recipients for whom delivery has begun.'),
          delivered: count('Recipients whose mail server accepted the email.'),
          bounced: count('Recipients whose mail server returned the email.'),
          delayed: count('Recipients whose mail server deferred the email.'),
        }),
        { description: 'The last 24 hours in quarters of an hour, the oldest first.' },
      ),
    },
    { description: 'What all teams send.' },
  ),
)

const NOTHING: Omit<ThroughputRow, 'start'> = { received: 0, sent: 0, delivered: 0, bounced: 0, delayed: 0 }

const operation = declareOperations(OPERATION)

export const throughputRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/operation/throughput',
    operation({
      id: 'operation.throughput.retrieve',
      summary: 'Retrieve the throughput',
      description:
        'Returns how many recipients the emails of all teams had in the last 24 hours, and what became of them, by the quarter of an hour.',
      access: 'operator',
      audit: 'never',
      reply: { 200: Throughput },
      example: {
        reply: { object: 'throughput', data: [{ start: EXAMPLE_TIME, ...NOTHING, received: 1_200, sent: 1_198, delivered: 1_190 }] },
      },
    }),
    async () => {
      const lastMs = bucketOf(context.clock.now().getTime())
      const starts = Array.from({ length: DAY_MS / BUCKET_MS }, (_, index) => lastMs - (DAY_MS / BUCKET_MS - 1 - index) * BUCKET_MS)
      const rows = await context.repositories.throughput.listAcrossTeams(new Date(starts[0] ?? lastMs))
      const known = new Map(rows.map(({ start, ...counts }) => [start.getTime(), counts]))
      const data = starts.map((ms) => ({ start: toTimestamp(new Date(ms)), ...(known.get(ms) ?? NOTHING) }))
      return { object: 'throughput' as const, data }
    },
  )
}
