// A claim as it is read, and what becomes of it when its domain is removed.
import type { Prisma } from '../../generated/prisma/client.ts'
import { type BlockedReason, OPEN_STATUSES, type StoredClaimStatus } from '../../lib/domains/claim-states.ts'
import { oneOf } from '../columns.ts'
import type { RecordTransaction } from '../database.ts'
import { type Region, regionOf } from './domain-rows.ts'

export type ClaimRow = {
  id: string
  teamId: string
  domainId: string
  name: string
  token: string
  status: StoredClaimStatus
  blockedReason: BlockedReason | null
  failureReason: string | null
  createdAt: Date
  expiresAt: Date
  askedAt: Date | null
}

/** `region` is that of its domain; null when the domain was deleted. */
export type ClaimWithRegion = ClaimRow & { region: Region | null }

export const claimColumns = {
  id: true,
  teamId: true,
  domainId: true,
  name: true,
  token: true,
  status: true,
  blockedReason: true,
  failureReason: true,
  createdAt: true,
  expiresAt: true,
  askedAt: true,
} as const

const STATUSES: Record<StoredClaimStatus, true> = {
  pending: true,
  blocked: true,
  completed: true,
  superseded: true,
  canceled: true,
  failed: true,
}
const REASONS: Record<BlockedReason, true> = { grace_period: true, recent_owner_activity: true, pending_scheduled_emails: true }

export const toClaimRow = (row: Prisma.DomainClaimGetPayload<{ select: typeof claimColumns }>): ClaimRow => ({
  ...row,
  status: oneOf(STATUSES, row.status),
  blockedReason: row.blockedReason === null ? null : oneOf(REASONS, row.blockedReason),
})

export async function withRegion(tables: Pick<RecordTransaction['tables'], 'domain'>, claim: ClaimRow): Promise<ClaimWithRegion> {
  const domain = await tables.domain.findFirst({ where: { teamId: claim.teamId, id: claim.domainId }, select: { region: true } })
  return { ...claim, region: domain && regionOf(domain.region) }
}

/** Claims that can still be completed at this time. */
export const openAt = (now: Date) => ({ status: { in: [...OPEN_STATUSES] }, expiresAt: { gt: now } })

/** Runs in the transaction that deletes their domain. A claim that had ended before is removed with it. */
export async function cancelClaims(
  { domainClaim }: Pick<RecordTransaction['tables'], 'domainClaim'>,
  domainId: string,
  now: Date,
): Promise<void> {
  const canceled = { status: 'canceled', blockedReason: null, checkDueAt: null, endedAt: now }
  await domainClaim.updateMany({ where: { domainId, ...openAt(now) }, data: canceled })
  await domainClaim.deleteMany({ where: { domainId, status: { not: 'canceled' } } })
}
