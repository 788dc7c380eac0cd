import type { Clock } from '../../lib/clock.ts'
import { wasJustAsked } from '../../lib/domains/check-times.ts'
import { type ClaimEnd, claimEnd, expiryOf } from '../../lib/domains/claim-states.ts'
import type { Installation } from '../../lib/domains/wanted-records.ts'
import { createId } from '../../lib/ids.ts'
import type { Database, RecordTransaction } from '../database.ts'
import { lockRow, lockTeam } from '../locks.ts'
import { type ClaimWithRegion, claimColumns, openAt, toClaimRow, withRegion } from './claim-rows.ts'
import type { NewDkimKey } from './dkim-keys.ts'
import { type DomainRow, domainColumns, toDomainRow } from './domain-rows.ts'
import { findHolder, type NameHolder } from './name-holders.ts'
import { createDomain, type NewDomain } from './new-domains.ts'

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
 * has none, and no keys were brought. `fullOfClaims`, `full`: it has as many open claims, or domains, as it may have.
 * `hostInUse`: see `usesHostOf`.
 */
export type ClaimCreation =
  | { claim: ClaimWithRegion; isNew: boolean }
  | { differs: keyof ClaimedSettings }
  | 'own'
  | 'free'
  | 'keysMissing'
  | 'fullOfClaims'
  | 'full'
  | 'hostInUse'

export function domainClaimRepository(
  { tables, records }: Pick<Database, 'tables' | 'records'>,
  { clock, installation }: { clock: Clock; installation: Installation },
) {
  return {
    /** Null if no other team has the name. */
    holderOf(teamId: string, name: string): Promise<NameHolder | null> {
      return findHolder(tables, { name, exceptTeamId: teamId, now: clock.now() })
    },

    /** A claim of this name that is open already is the answer. */
    async create(
      teamId: string,
      claim: NewClaim,
      { claimsMax, domainsMax }: { claimsMax: number; domainsMax: number },
    ): Promise<ClaimCreation> {
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
        if ((await inside.tables.domainClaim.count({ where: { teamId, ...openAt(now) } })) >= claimsMax) return 'fullOfClaims'
        if (!existing && keys === null) return 'keysMissing'
        const claimed = existing ?? (await createDomain(inside, teamId, { domain, keys: keys ?? [], domainsMax }, { clock, installation }))
        if (claimed === 'taken') throw new Error('A domain that the team did not have is there although the team was locked')
        if (typeof claimed === 'string') return claimed
        const { id: domainId } = claimed
        await inside.tables.domainClaim.deleteMany({ where: { teamId, name } })
        const data = { id: createId(clock), teamId, domainId, name, token, status: 'pending', createdAt: now, expiresAt: expiryOf(now) }
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
