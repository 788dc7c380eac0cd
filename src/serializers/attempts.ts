import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { AttemptRow } from '../repositories/engine/attempts.ts'
import { ATTEMPT_OUTCOMES, type EmailAttempt } from '../schemas/attempts.ts'

export const toEmailAttempt = (row: AttemptRow): Static<typeof EmailAttempt> => ({
  id: row.id,
  recipient: row.address,
  number: row.number,
  outcome: ATTEMPT_OUTCOMES.find((outcome) => outcome === row.outcome) ?? 'open',
  host: row.host,
  tls: row.tls,
  code: row.code,
  enhanced_code: row.enhancedCode,
  text: row.text,
  duration_ms: row.durationMs,
  started_at: toTimestamp(row.startedAt),
})
