import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { SuppressionRow } from '../repositories/suppressions/new-suppressions.ts'
import type { Suppression, SuppressionSummary } from '../schemas/suppressions.ts'

export const toSuppressionSummary = ({ id, email, origin, sourceId, createdAt }: SuppressionRow): Static<typeof SuppressionSummary> => ({
  id,
  email,
  origin,
  source_id: sourceId,
  created_at: toTimestamp(createdAt),
})

export const toSuppression = (row: SuppressionRow): Static<typeof Suppression> => ({ object: 'suppression', ...toSuppressionSummary(row) })
