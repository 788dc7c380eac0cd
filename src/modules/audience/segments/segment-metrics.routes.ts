import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { EXAMPLE_TIME, Id, Kind, Named, Nullable, Ref, Timestamp } from '../../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { CountedSegments, MemberCounts } from './segment-members.repository.ts'
import { METRICS_CACHE_MS, METRICS_MS_MAX, METRICS_SEGMENTS_MAX } from './segment-metrics.service.ts'
import { SEGMENTS } from './segments.schema.ts'

type Context = PlatformContext & AudienceContext

const counts = {
  all_contacts: Type.Integer({ description: 'Number of contacts.' }),
  subscribers: Type.Integer({ description: 'Number of contacts who have not unsubscribed from all bulk email.' }),
  unsubscribers: Type.Integer({ description: 'Number of contacts who have unsubscribed from all bulk email.' }),
}
const uncertain = (of: keyof typeof counts) =>
  Nullable(Type.Integer({ description: `${counts[of].description} Null if counting takes too long.` }))

const ContactCounts = Named('ContactCounts', Type.Object(counts, { description: 'Counts of all contacts of the team.' }))

const SegmentMetricsRow = Named(
  'SegmentMetricsRow',
  Type.Object(
    {
      id: Id('Id of the segment.'),
      name: Type.String({ description: 'Name of the segment.', examples: ['Customers'] }),
      all_contacts: uncertain('all_contacts'),
      subscribers: uncertain('subscribers'),
      unsubscribers: uncertain('unsubscribers'),
    },
    { description: 'Counts of the contacts of a segment.' },
  ),
)

export const SegmentMetrics = Named(
  'SegmentMetrics',
  Type.Object(
    {
      object: Kind('metrics'),
      totals: Ref(ContactCounts),
      data: Type.Array(Ref(SegmentMetricsRow), {
        description: `The counts of each segment, newest segments first, at most ${METRICS_SEGMENTS_MAX}.`,
      }),
      has_more: Type.Boolean({ description: 'Whether the team has more segments than these.' }),
      counted_at: Timestamp('When counting started.'),
    },
    { description: 'Counts of contacts, in total and by segment.' },
  ),
)

const toCounts = ({ contacts, unsubscribed }: MemberCounts) => ({
  all_contacts: contacts,
  subscribers: contacts - unsubscribed,
  unsubscribers: unsubscribed,
})

const UNCOUNTED = { all_contacts: null, subscribers: null, unsubscribers: null }

export const toSegmentMetrics = ({ totals, segments, hasMore, countedAt }: CountedSegments): Static<typeof SegmentMetrics> => ({
  object: 'metrics',
  totals: toCounts(totals),
  data: segments.map(({ id, name, counts }) => ({ id, name, ...(counts ? toCounts(counts) : UNCOUNTED) })),
  has_more: hasMore,
  counted_at: toTimestamp(countedAt),
})

const operation = declareOperations(SEGMENTS)

export const segmentMetricRoutes: Routes<Context> = async (app, { context: { segmentMetrics } }) => {
  app.get(
    '/segments/metrics',
    operation({
      id: 'segments.metrics.retrieve',
      summary: 'Count the contacts of segments',
      description: `Returns how many contacts the team has, in total and in each of its ${METRICS_SEGMENTS_MAX} newest segments. Counts can be up to ${METRICS_CACHE_MS / 1_000} seconds old. They are null for segments whose filter takes longer than five seconds, and for segments that are not reached within ${METRICS_MS_MAX / 1_000} seconds.`,
      access: 'full',
      audit: 'never',
      isCount: true,
      reply: { 200: SegmentMetrics },
      example: {
        reply: {
          object: 'metrics',
          totals: { all_contacts: 1_200, subscribers: 1_150, unsubscribers: 50 },
          data: [{ id: SEGMENTS.example.id, name: 'Customers', all_contacts: 300, subscribers: 290, unsubscribers: 10 }],
          has_more: false,
          counted_at: EXAMPLE_TIME,
        },
      },
    }),
    async ({ teamId }) => {
      return toSegmentMetrics(await segmentMetrics(teamId))
    },
  )
}

// How many contacts a team has, in total and in its newest segments. Counting is expensive, so counts are remembered for a while.
