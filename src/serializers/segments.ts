import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { SegmentRow, SegmentSummaryRow } from '../repositories/segments/segments.ts'
import type { Segment, SegmentSummary } from '../schemas/segments.ts'
import { toSegmentFilter } from './segment-filters.ts'

export const toSegmentSummary = ({ id, name, createdAt }: SegmentSummaryRow): Static<typeof SegmentSummary> => ({
  id,
  name,
  audience_id: id,
  created_at: toTimestamp(createdAt),
})

export const toSegment = (row: SegmentRow): Static<typeof Segment> => ({
  object: 'segment',
  ...toSegmentSummary(row),
  filter: row.filter && toSegmentFilter(row.filter, row.properties),
})
