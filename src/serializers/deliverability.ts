import type { DeliverabilityReport } from '../lib/deliverability/findings.ts'
import { toTimestamp } from '../lib/timestamps.ts'

export const toDeliverability = ({ status, checkedAt, note, findings }: DeliverabilityReport) => ({
  object: 'deliverability' as const,
  status,
  checked_at: toTimestamp(checkedAt),
  note,
  checks: findings.map(({ check, subject, state, found, advice }) => ({ name: check, subject, state, found, advice })),
})
