import { EXAMPLE_TIME } from '../schemas/common.ts'
import { METRICS_CACHE_MS, METRICS_MS_MAX, METRICS_SEGMENTS_MAX, SegmentMetrics } from '../schemas/segment-metrics.ts'
import { SEGMENTS } from '../schemas/segments.ts'
import { toSegmentMetrics } from '../serializers/segment-metrics.ts'
import { type Call, operation, routes } from './operation.ts'

export const segmentMetricRoutes = routes(SEGMENTS, ({ segmentMetrics }) => {
  async function retrieve({ teamId }: Call) {
    return toSegmentMetrics(await segmentMetrics(teamId))
  }

  return [
    operation({
      id: 'segments.metrics.retrieve',
      method: 'GET',
      path: '/segments/metrics',
      summary: 'Count the contacts of segments',
      description: `Returns how many contacts the team has, in total and in each of its ${METRICS_SEGMENTS_MAX} newest segments. Counts can be up to ${METRICS_CACHE_MS / 1_000} seconds old. They are null for segments whose filter takes longer than five seconds, and for segments that are not reached within ${METRICS_MS_MAX / 1_000} seconds.`,
      access: 'full',
      reply: SegmentMetrics,
      example: {
        reply: {
          object: 'metrics',
          totals: { all_contacts: 1_200, subscribers: 1_150, unsubscribers: 50 },
          data: [{ id: SEGMENTS.example.id, name: 'Customers', all_contacts: 300, subscribers: 290, unsubscribers: 10 }],
          has_more: false,
          counted_at: EXAMPLE_TIME,
        },
      },
      handle: retrieve,
    }),
  ]
})
