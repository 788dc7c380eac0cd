import { oneOf } from '../../../db/columns.ts'
import type { Database, RecordTransaction } from '../../../db/database.ts'
import { lockRow, lockTeam } from '../../../db/transactions.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import type { Installation } from '../../../mail/record-types.ts'
import type { NewDkimKey } from '../dkim/dkim-keys.repository.ts'
import { type DomainRow, domainColumns, regionOf, toDomainRow } from '../domain-rows.repository.ts'
import { findHolder, type NameHolder } from '../domain-states.repository.ts'
import type { Region } from '../domains.schema.ts'
import { createDomain, type NewDomain } from '../new-domains.repository.ts'
import { wasJustAsked } from '../records/record-states.ts'
import {
  BLOCKED_REASONS,
  type BlockedReason,
  type ClaimEnd,
  claimEnd,
  claimExpiry,
  OPEN_STATUSES,
  STORED_CLAIM_STATUSES,
  type StoredClaimStatus,
} from './claim-states.ts'
import { CLAIM_LIMIT } from './domain-claims.schema.ts'

// A claim as it is read, and what becomes of it when its domain is removed.

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

export const toClaimRow = (row: Prisma.DomainClaimGetPayload<{ select: typeof claimColumns }>): ClaimRow => ({
  ...row,
  status: oneOf(STORED_CLAIM_STATUSES, row.status),
  blockedReason: row.blockedReason === null ? null : oneOf(BLOCKED_REASONS, row.blockedReason),
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

/** Settings that are stated when a domain is claimed: a domain of this name that the team has must agree with them. */
export type ClaimedSettings = Partial<Pick<NewDomain, 'region' | 'returnPath' | 'trackingSubdomain' | 'openTracking' | 'clickTracking'>>

export type NewClaim = {
  domain: NewDomain
  stated: ClaimedSettings
  token: string
  /** The new keys of the domain; null if the team has one of this name. */
  keys: NewDkimKey[] | null
}

/**
 * `own`: the team has verified the name. `free`: no team has. `differs`: the team has a domain of this name with another setting. `keysMissing`: it
 * has none, and no keys were brought. `hostInUse`: see `usesSameHost`.
 */
export type ClaimCreation =
  | { claim: ClaimWithRegion; isNew: boolean }
  | { differs: keyof ClaimedSettings }
  | 'own'
  | 'free'
  | 'keysMissing'
  | 'hostInUse'

export function domainClaimRepository(
  { tables, records }: Pick<Database, 'tables' | 'records'>,
  { clock, installation }: { clock: Clock; installation: Installation },
) {
  return {
    /** Null if no other team has the name. */
    findHolder(teamId: string, name: string): Promise<NameHolder | null> {
      return findHolder(tables, { name, exceptTeamId: teamId, now: clock.now() })
    },

    /** A claim of this name that is open already is the answer. @throws Failure if the team has as many open claims, or domains, as it may have */
    async create(teamId: string, claim: NewClaim): Promise<ClaimCreation> {
      return records(async (inside) => {
        const { domain, stated, token, keys } = claim
        const { name } = domain
        const now = clock.now()
        await lockTeam(inside.execute, teamId)
        const existing = await lockByName(inside, teamId, name)
        if (existing?.ownsName) return 'own'
        const open = existing && (await findOpen(inside, { teamId, domainId: existing.id }, now))
        if (!open && !(await findHolder(inside.tables, { name, exceptTeamId: teamId, now }))) return 'free'
        const differs = existing && differingSetting(existing, stated)
        if (differs) return { differs }
        if (open) return { claim: open, isNew: false }
        if ((await inside.tables.domainClaim.count({ where: { teamId, ...openAt(now) } })) >= CLAIM_LIMIT.max) throw CLAIM_LIMIT.failure()
        if (!existing && keys === null) return 'keysMissing'
        const claimed = existing ?? (await createDomain(inside, teamId, { domain, keys: keys ?? [] }, { clock, installation }))
        if (claimed === 'taken') throw new Error('A domain that the team did not have is there although the team was locked')
        if (typeof claimed === 'string') return claimed
        const { id: domainId } = claimed
        await inside.tables.domainClaim.deleteMany({ where: { teamId, name } })
        const data = { id: createId(clock), teamId, domainId, name, token, status: 'pending', createdAt: now, expiresAt: claimExpiry(now) }
        const created = toClaimRow(await inside.tables.domainClaim.create({ data, select: claimColumns }))
        return { claim: await withRegion(inside.tables, created), isNew: true }
      })
    },

    /** By the domain that it is for, also after that was deleted. */
    async find(teamId: string, domainId: string): Promise<ClaimWithRegion | null> {
      const row = await tables.domainClaim.findFirst({ where: { teamId, domainId }, select: claimColumns })
      return row && withRegion(tables, toClaimRow(row))
    },

    /** Asks for verification, unless the claim is completed. Null if the domain does not exist, or has no claim. `ended`: it can no longer be completed. */
    async ask(teamId: string, domainId: string): Promise<{ claim: ClaimWithRegion } | { ended: ClaimEnd } | null> {
      return records(async ({ tables: inside, execute }) => {
        if (!(await lockRow(execute, 'domains', teamId, domainId))) return null
        const row = await inside.domainClaim.findFirst({ where: { teamId, domainId }, select: claimColumns })
        if (!row) return null
        const now = clock.now()
        const claim = toClaimRow(row)
        const ended = claimEnd(claim, now)
        if (ended) return { ended }
        if (claim.status === 'completed' || wasJustAsked(claim.askedAt, now)) return { claim: await withRegion(inside, claim) }
        const data = { status: 'pending', blockedReason: null, askedAt: now, checkDueAt: now }
        const asked = toClaimRow(await inside.domainClaim.update({ where: { id: claim.id }, data, select: claimColumns }))
        return { claim: await withRegion(inside, asked) }
      })
    },
  }
}

async function lockByName({ tables, execute }: RecordTransaction, teamId: string, name: string): Promise<DomainRow | null> {
  const found = await tables.domain.findFirst({ where: { teamId, name }, select: { id: true } })
  const locked = found && (await lockRow(execute, 'domains', teamId, found.id))
  return locked && toDomainRow(await tables.domain.findUniqueOrThrow({ where: { id: locked.id }, select: domainColumns }))
}

async function findOpen(
  { tables }: RecordTransaction,
  domain: { teamId: string; domainId: string },
  now: Date,
): Promise<ClaimWithRegion | null> {
  const row = await tables.domainClaim.findFirst({ where: { ...domain, ...openAt(now) }, select: claimColumns })
  return row && withRegion(tables, toClaimRow(row))
}

function differingSetting(domain: DomainRow, stated: ClaimedSettings): keyof ClaimedSettings | null {
  if ((stated.region ?? domain.region) !== domain.region) return 'region'
  if ((stated.returnPath ?? domain.returnPath) !== domain.returnPath) return 'returnPath'
  if ((stated.trackingSubdomain ?? domain.trackingSubdomain) !== domain.trackingSubdomain) return 'trackingSubdomain'
  if ((stated.openTracking ?? domain.openTracking) !== domain.openTracking) return 'openTracking'
  return (stated.clickTracking ?? domain.clickTracking) === domain.clickTracking ? null : 'clickTracking'
}
