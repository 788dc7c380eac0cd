import { Type } from '@sinclair/typebox'
import { Id, Kind, Named, Nullable, Ref, Timestamp } from './common.ts'

/** Segments that are counted, the newest first. */
export const METRICS_SEGMENTS_MAX = 100
/** The greatest age of the counts. */
export const METRICS_CACHE_MS = 60_000
/** Time that counting may take. Segments that are not reached by then are not counted. */
export const METRICS_MS_MAX = 20_000
/** Teams whose counts are remembered. */
export const METRICS_TEAMS_MAX = 1_000

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
