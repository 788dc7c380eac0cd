// Verification of claims: who is asked about next, and how a name changes hands; in SQL where due claims are taken.

import type { Database, RecordTransaction } from '../../../db/database.ts'
import { lockDomainName, lockDomainsAcrossTeams } from '../../../db/transactions.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Installation } from '../../../mail/record-types.ts'
import type { NewDkimKey } from '../dkim/dkim-keys.repository.ts'
import { findHolder, formerAfter, type NameHolder } from '../domain-states.repository.ts'
import { listSelectors, resetDomain } from '../new-domains.repository.ts'
import { nextCheckAt } from '../records/record-states.ts'
import { type BlockedReason, isOpen } from './claim-states.ts'
import { type ClaimRow, claimColumns, openAt, toClaimRow } from './domain-claims.repository.ts'

export type DueClaim = { teamId: string; id: string }

/** `keys` are those of the domain that gets the name, `holderKeys` those of the one that loses it. */
export type ClaimCompletion = { holder: NameHolder | null; keys: NewDkimKey[]; holderKeys: NewDkimKey[] }

/** `changed`: the name has meanwhile gone to a team other than `holder`. `ended`: the claim can no longer be completed. */
export type ClaimOutcome = 'completed' | 'changed' | 'ended'

/** A claim that is being checked is due again after this time, in case its worker dies. */
const CHECK_SECONDS = 120

export function claimCheckRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  { clock, installation }: { clock: Clock; installation: Installation },
) {
  return {
    /** Takes claims that are due and not of these teams, and puts them off. For workers only: it crosses teams. */
    async takeDueAcrossTeams(limit: number, exceptTeamIds: string[]): Promise<DueClaim[]> {
      return execute<DueClaim>(TAKE_DUE, [clock.now(), limit, exceptTeamIds])
    },

    /** Null if it can no longer be completed. */
    async findOpen(teamId: string, id: string): Promise<ClaimRow | null> {
      const row = await tables.domainClaim.findFirst({ where: { teamId, id, ...openAt(clock.now()) }, select: claimColumns })
      return row && toClaimRow(row)
    },

    /** After a check that did not complete the claim. `blockedReason`: its record was seen, and it has to wait. */
    async postpone(teamId: string, claim: ClaimRow, blockedReason: BlockedReason | null): Promise<void> {
      const now = clock.now()
      const checkDueAt = nextCheckAt({ id: claim.id, statuses: ['pending'], askedAt: claim.askedAt }, now)
      // If someone asked meanwhile, the next check answers.
      await tables.domainClaim.updateMany({
        where: { teamId, id: claim.id, askedAt: claim.askedAt, ...openAt(now) },
        data: { status: blockedReason === null ? 'pending' : 'blocked', blockedReason, checkDueAt },
      })
    },

    /**
     * Gives the name to the domain of the claim, which must then be verified. The team that had it keeps its domain, unverified. If no team has it
     * now, no one loses it. All other claims on the name end.
     */
    async complete({ teamId, id }: DueClaim, { holder, keys, holderKeys }: ClaimCompletion): Promise<ClaimOutcome> {
      return records(async (inside) => {
        const before = await inside.tables.domainClaim.findFirst({ where: { teamId, id }, select: { domainId: true, name: true } })
        if (!before) return 'ended'
        const { domainId, name } = before
        const locked = await lockDomainsAcrossTeams(inside.execute, [domainId, ...(holder ? [holder.domainId] : [])])
        await lockDomainName(inside.execute, name)
        const now = clock.now()
        const row = await inside.tables.domainClaim.findFirst({ where: { teamId, id }, select: claimColumns })
        if (!row || !locked.has(domainId) || !isOpen(toClaimRow(row), now)) return 'ended'
        if (await ownsName(inside, domainId)) return fail(inside, id, now)
        const current = await findHolder(inside.tables, { name, exceptTeamId: teamId, now })
        if (current && current.domainId !== holder?.domainId) return 'changed'

        const loser = current && locked.has(current.domainId) ? [{ ...current, keys: holderKeys }] : []
        const taken = await listSelectors(inside.tables, [domainId, ...loser.map((each) => each.domainId)])
        // The loser first: the name has one owner at a time.
        for (const domain of [...loser, { teamId, domainId, keys }]) await resetDomain(inside, domain, { taken, installation, now })
        await endOthers(inside, { id, name }, now)
        await inside.tables.domainClaim.update({ where: { id }, data: { ...ENDED, status: 'completed', endedAt: now } })
        return 'completed'
      })
    },

    /** Names that were given up so long ago are free, and forgotten. */
    async removeFormerAcrossTeams(): Promise<number> {
      return (await tables.formerDomain.deleteMany({ where: { endedAt: { lte: formerAfter(clock.now()) } } })).count
    },

    async removeCanceledAcrossTeams(before: Date): Promise<number> {
      return (await tables.domainClaim.deleteMany({ where: { status: 'canceled', endedAt: { lt: before } } })).count
    },
  }
}

const ENDED = { blockedReason: null, checkDueAt: null }

async function ownsName({ tables }: RecordTransaction, domainId: string): Promise<boolean> {
  return (await tables.domain.findFirst({ where: { id: domainId, ownsName: true }, select: { id: true } })) !== null
}

async function fail({ tables }: RecordTransaction, id: string, now: Date): Promise<'ended'> {
  await tables.domainClaim.update({ where: { id }, data: { ...ENDED, status: 'failed', failureReason: VERIFIED_MEANWHILE, endedAt: now } })
  return 'ended'
}

const VERIFIED_MEANWHILE = 'Your team has verified this domain without the claim.'

/** Ends the open claims, and the one that gave the name to the team that loses it. */
async function endOthers({ tables }: RecordTransaction, { id, name }: { id: string; name: string }, now: Date): Promise<void> {
  await tables.formerDomain.deleteMany({ where: { name } })
  await tables.domainClaim.updateMany({
    where: { name, id: { not: id }, OR: [openAt(now), { status: 'completed' }] },
    data: { ...ENDED, status: 'superseded', endedAt: now },
  })
}

const TAKE_DUE = `
update domain_claims set check_due_at = case when expires_at > $1 then $1::timestamptz + interval '${CHECK_SECONDS} seconds' end
where id = any(array(select id from domain_claims where check_due_at <= $1 and team_id <> all($3::uuid[]) order by check_due_at limit $2 for update skip locked))
returning team_id as "teamId", id`
