// How a segment grows, by the days of the last weeks.
import { Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { recentPeriods } from '../../../http/recent-periods.ts'
import { notFound } from '../../../lib/failure.ts'
import { Enum, Kind, Named } from '../../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../audience.context.ts'
import { SEGMENTS, SegmentParams } from './segments.schema.ts'

type Context = PlatformContext & AudienceContext

const DATE_LENGTH = 10

const SegmentGrowth = Named(
  'SegmentGrowth',
  Type.Object(
    {
      object: Kind('segment_growth'),
      by: Enum(['joined', 'created'], {
        description:
          'What the days are of: when the contacts were added to the segment, or, for a segment with a filter, when the contacts that it finds now were created.',
      }),
      data: Type.Array(
        Type.Object({
          date: Type.String({ description: 'The day, in UTC.', examples: ['2026-11-20'] }),
          added: Type.Integer({ description: 'Contacts of that day that are in the segment now.' }),
        }),
        { description: 'The last 30 days, the oldest first.' },
      ),
    },
    { description: 'How a segment grows.' },
  ),
)

const operation = declareOperations(SEGMENTS)

export const segmentGrowthRoutes: Routes<Context> = async (app, { context }) => {
  const { segments, segmentMembers } = context.repositories

  app.get(
    '/segments/:segment_id/growth',
    operation({
      id: 'segments.growth.retrieve',
      summary: 'Count the new contacts of a segment',
      description:
        'Returns how many of the contacts that are in a segment now came on each of the last 30 days (UTC). If its filter takes longer than five seconds, the response is a 422.',
      access: 'full',
      audit: 'never',
      isCount: true,
      params: SegmentParams,
      reply: { 200: SegmentGrowth },
      example: { reply: { object: 'segment_growth', by: 'joined', data: [{ date: '2026-11-20', added: 42 }] } },
    }),
    async ({ teamId, params }) => {
      const segment = await segments.find(teamId, params.segment_id)
      if (!segment) throw notFound(SEGMENTS.noun)
      const { starts, since } = recentPeriods('month', context.clock.now())
      const added = await segmentMembers.growth(teamId, segment, since)
      const days = starts.map((start) => start.toISOString().slice(0, DATE_LENGTH))
      const by = segment.filter === null ? ('joined' as const) : ('created' as const)
      return { object: 'segment_growth' as const, by, data: days.map((date) => ({ date, added: added.get(date) ?? 0 })) }
    },
  )
}
