import type { Static } from '@sinclair/typebox'
import { SOFT_BOUNCES } from '../lib/soft-bounces.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { SoftBounce, SuppressionRow } from '../repositories/suppressions/new-suppressions.ts'
import type { Suppression, SuppressionSummary } from '../schemas/suppressions.ts'

export const toSuppressionSummary = ({
  id,
  email,
  origin,
  sourceId,
  createdAt,
  softBounces,
}: SuppressionRow): Static<typeof SuppressionSummary> => ({
  id,
  email,
  origin,
  source_id: sourceId,
  created_at: toTimestamp(createdAt),
  ...(softBounces && { reason: SOFT_BOUNCES }),
})

export const toSuppression = (row: SuppressionRow): Static<typeof Suppression> => ({
  object: 'suppression',
  ...toSuppressionSummary(row),
  ...(row.softBounces && { soft_bounces: toSoftBounces(row.softBounces) }),
})

export const toSoftBounces = (softBounces: SoftBounce[]): NonNullable<Static<typeof Suppression>['soft_bounces']> =>
  softBounces.map(({ email_id, bounced_at }) => ({ email_id, bounced_at: toTimestamp(new Date(bounced_at)) }))
