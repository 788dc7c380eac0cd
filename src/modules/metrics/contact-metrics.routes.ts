import { Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { recentPeriods } from '../../http/recent-periods.ts'
import { Kind, Named } from '../../lib/validation/common.schema.ts'
import { CONTACTS } from '../audience/contacts/contacts.schema.ts'
import { ADDED_PER_DAY_MAX } from './contact-metrics.repository.ts'
import type { MetricsContext } from './metrics.context.ts'
import { countEmails } from './metrics.service.ts'

type Context = PlatformContext & MetricsContext

const most = ADDED_PER_DAY_MAX.toLocaleString('en')

export const ContactMetrics = Named(
  'ContactMetrics',
  Type.Object(
    {
      object: Kind('contact_metrics'),
      data: Type.Array(
        Type.Object({
          date: Type.String({ description: 'The day, in UTC.', examples: ['2026-11-20'] }),
          added: Type.Integer({ description: `Contacts that were added and still exist. ${most} stands for that many or more.` }),
          is_bounded: Type.Boolean({ description: 'Whether more may have been added.' }),
          unsubscribed: Type.Integer({ description: 'Recipients who unsubscribed by a link of a broadcast.' }),
        }),
        { description: 'The last 30 days, the oldest first.' },
      ),
    },
    { description: 'How the audience of a team grows.' },
  ),
)

const operation = declareOperations(CONTACTS)

export const contactMetricRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/contacts/metrics',
    operation({
      id: 'contacts.metrics.retrieve',
      summary: 'Count added and unsubscribed contacts',
      description:
        'Returns how many contacts were added and how many people unsubscribed by a link of a broadcast, on each of the last 30 days (UTC). `GET /segments/metrics` counts all contacts and those of segments.',
      access: 'full',
      audit: 'never',
      isCount: true,
      reply: { 200: ContactMetrics },
      example: {
        reply: { object: 'contact_metrics', data: [{ date: '2026-11-20', added: 42, is_bounded: false, unsubscribed: 1 }] },
      },
    }),
    async ({ teamId }) => {
      const now = context.clock.now()
      const { starts, since } = recentPeriods('month', now)
      const [added, counted] = await Promise.all([
        context.repositories.contactMetrics.added(teamId, starts),
        countEmails(context, teamId, {
          ...{ startMs: since.getTime(), endMs: now.getTime() + 1, zone: 'UTC', granularity: 'daily', metrics: ['unsubscribed'] },
          ...{ dimensions: ['period'], domainIds: null, emailIds: null, broadcastIds: null },
        }),
      ])
      const unsubscribed = new Map(counted.rows.map(({ period, counts }) => [period, counts.unsubscribed ?? 0]))
      const data = starts.map((start, place) => {
        const date = start.toISOString().slice(0, 10)
        const count = added[place] ?? 0
        return {
          ...{ date, added: Math.min(count, ADDED_PER_DAY_MAX), is_bounded: count > ADDED_PER_DAY_MAX },
          unsubscribed: unsubscribed.get(date) ?? 0,
        }
      })
      return { object: 'contact_metrics' as const, data }
    },
  )
}
