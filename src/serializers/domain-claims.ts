import type { Static } from '@sinclair/typebox'
import { claimRecordValue } from '../lib/domains/claim-records.ts'
import { claimStatus } from '../lib/domains/claim-states.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { ClaimWithRegion } from '../repositories/domains/claim-rows.ts'
import type { DomainClaim } from '../schemas/domain-claims.ts'

export function toDomainClaim(claim: ClaimWithRegion, now: Date): Static<typeof DomainClaim> {
  const status = claimStatus(claim, now)
  return {
    object: 'domain_claim',
    id: claim.id,
    name: claim.name,
    status,
    domain_id: claim.region === null ? null : claim.domainId,
    region: claim.region,
    record: { type: 'TXT', name: claim.name, value: claimRecordValue(claim.token), ttl: 'Auto' },
    blocked_reason: status === 'blocked' ? claim.blockedReason : null,
    failure_reason: claim.failureReason,
    created_at: toTimestamp(claim.createdAt),
    expires_at: toTimestamp(claim.expiresAt),
  }
}
