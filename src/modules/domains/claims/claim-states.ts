// The life of a claim, by which a team takes over a name that another team has: pending -> blocked -> pending -> completed, or one of the other ends.
import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import type { RecordAnswer } from '../../../mail/record-types.ts'

// The TXT record that proves that a team that claims a domain controls its DNS.

const PREFIX = 'posthaste-domain-verification='

/** It is published at the domain itself. */
export const claimRecordValue = (token: string): string => `${PREFIX}${token}`

/** Whether it is among the TXT records of the domain. Spaces around it are left by forms of registrars. */
export const holdsClaim = (answer: RecordAnswer, token: string): boolean =>
  answer.kind === 'records' && answer.values.some((value) => value.trim() === claimRecordValue(token))

export const CLAIM_STATUSES = ['pending', 'verified', 'completed', 'blocked', 'expired', 'superseded', 'canceled', 'failed'] as const
export type ClaimStatus = (typeof CLAIM_STATUSES)[number]

/** The statuses that are stored. A claim expires without anyone writing it down, and it is completed in the step that verifies it. */
export const STORED_CLAIM_STATUSES = CLAIM_STATUSES.filter((status) => status !== 'expired' && status !== 'verified')
export type StoredClaimStatus = (typeof STORED_CLAIM_STATUSES)[number]

/** Why a claim whose record was seen has to wait. */
export const BLOCKED_REASONS = ['grace_period', 'recent_owner_activity', 'pending_scheduled_emails'] as const
export type BlockedReason = (typeof BLOCKED_REASONS)[number]

/** How long a claim may be pending or blocked. */
export const CLAIM_DAYS = 7
/** A name changes hands at most once in this time, so that two teams that both control the DNS do not take it from each other in turns. */
export const GRACE_HOURS = 24
/** A name that was sent from within this time is in use. Its team should stop first. */
export const ACTIVE_HOURS = 24
/** How long a name that was taken over waits for its new team to verify it. */
export const RESERVED_DAYS = 7
/** How long a claim whose domain was deleted can be read. */
export const CANCELED_DAYS = 30

/** An expired claim is not open, whatever its stored status. */
export const OPEN_STATUSES = ['pending', 'blocked'] as const satisfies StoredClaimStatus[]

export function claimStatus({ status, expiresAt }: { status: StoredClaimStatus; expiresAt: Date }, now: Date): ClaimStatus {
  return isUnsettled(status) && expiresAt <= now ? 'expired' : status
}

/** How a claim can end without being completed. */
export type ClaimEnd = Extract<ClaimStatus, 'expired' | 'superseded' | 'canceled' | 'failed'>

/** Null if it has not ended so. */
export function claimEnd(claim: { status: StoredClaimStatus; expiresAt: Date }, now: Date): ClaimEnd | null {
  const status = claimStatus(claim, now)
  return status === 'expired' || status === 'superseded' || status === 'canceled' || status === 'failed' ? status : null
}

/** Whether it can still be completed. */
export const isOpen = (claim: { status: StoredClaimStatus; expiresAt: Date }, now: Date): boolean => isUnsettled(claimStatus(claim, now))

export const claimExpiry = (createdAt: Date): Date => new Date(createdAt.getTime() + CLAIM_DAYS * DAY_MS)

/** Claims that were completed after this time reserve their name. */
export const reservedAfter = (now: Date): Date => new Date(now.getTime() - RESERVED_DAYS * DAY_MS)

/** Claims that were canceled before this time are removed. */
export const canceledBefore = (now: Date): Date => new Date(now.getTime() - CANCELED_DAYS * DAY_MS)

/** Mail that was accepted after this time counts as activity. */
export const activeAfter = (now: Date): Date => new Date(now.getTime() - ACTIVE_HOURS * HOUR_MS)

/** `since`: when the team that has the name got it; null if that was before it was recorded. */
export const isInGracePeriod = (since: Date | null, now: Date): boolean =>
  since !== null && now.getTime() - since.getTime() < GRACE_HOURS * HOUR_MS

const isUnsettled = (status: ClaimStatus): boolean => OPEN_STATUSES.some((each) => each === status)
