import { Type } from '@sinclair/typebox'
import { Id, Kind, Named, Nullable, Ref, Timestamp } from './common.ts'

/** Segments that are counted, the newest first. */
export const METRICS_SEGMENTS_MAX = 100
/** Counts are as old as this at most. */
export const METRICS_CACHE_MS = 60_000
/** Time to count in; segments whose turn has not come by then are not counted. */
export const METRICS_MS_MAX = 20_000
/** Teams whose counts are remembered. */
export const METRICS_TEAMS_MAX = 1_000

const counts = {
  all_contacts: Type.Integer({ description: 'All of them.' }),
  subscribers: Type.Integer({ description: 'Those that have not unsubscribed from everything.' }),
  unsubscribers: Type.Integer({ description: 'Those that have.' }),
}
const uncertain = (of: keyof typeof counts) =>
  Nullable(Type.Integer({ description: `${counts[of].description} Null: it takes too long to count.` }))

const ContactCounts = Named('ContactCounts', Type.Object(counts, { description: 'The contacts of the team.' }))

const SegmentMetricsRow = Named(
  'SegmentMetricsRow',
  Type.Object({
    id: Id('Id of the segment.'),
    name: Type.String({ description: 'What it is called.', examples: ['Customers'] }),
    all_contacts: uncertain('all_contacts'),
    subscribers: uncertain('subscribers'),
    unsubscribers: uncertain('unsubscribers'),
  }),
)

export const SegmentMetrics = Named(
  'SegmentMetrics',
  Type.Object({
    object: Kind('metrics'),
    totals: Ref(ContactCounts),
    data: Type.Array(Ref(SegmentMetricsRow), { description: `The segments, newest first, at most ${METRICS_SEGMENTS_MAX}.` }),
    has_more: Type.Boolean({ description: 'Whether the team has more segments than are counted here.' }),
    counted_at: Timestamp('When the counting began.'),
  }),
)
