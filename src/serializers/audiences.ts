import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { SegmentSummaryRow } from '../repositories/segments/segments.ts'
import type { Audience, AudienceSummary } from '../schemas/audiences.ts'

export const toAudienceSummary = ({ id, name, createdAt }: SegmentSummaryRow): Static<typeof AudienceSummary> => ({
  id,
  name,
  created_at: toTimestamp(createdAt),
})

export const toAudience = (row: SegmentSummaryRow): Static<typeof Audience> => ({ object: 'audience', ...toAudienceSummary(row) })
