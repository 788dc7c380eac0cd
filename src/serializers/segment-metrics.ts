import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { CountedSegments, MemberCounts } from '../repositories/segments/segment-members.ts'
import type { SegmentMetrics } from '../schemas/segment-metrics.ts'

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
