// Which team has a name: the one that verified it, the one that took it over and has not verified it yet, or the one that had it until lately.
import { reservedAfter } from '../../lib/domains/claim-states.ts'
import type { Installation } from '../../lib/domains/wanted-records.ts'
import type { RecordTransaction } from '../database.ts'
import { appendDomainNotification, domainColumns, toDomainRow, withRecords } from './domain-rows.ts'

/** How long a name that a team had goes to another team by a claim only: records of the former team may still be published. */
export const FORMER_DAYS = 90
const FORMER_MS = FORMER_DAYS * 24 * 60 * 60_000

/** `since`: when it got the name; null if that was before it was recorded, or if it has it no longer. */
export type NameHolder = {
  teamId: string
  domainId: string
  since: Date | null
  /** It never proved the name, and its time to do so has passed. */
  isUnproven: boolean
}

type Tables = Pick<RecordTransaction['tables'], 'domain' | 'domainClaim' | 'formerDomain'>

/** Null if no other team has the name. */
export async function findHolder(
  tables: Tables,
  { name, exceptTeamId, now }: { name: string; exceptTeamId: string; now: Date },
): Promise<NameHolder | null> {
  const teamId = { not: exceptTeamId }
  const owner = await tables.domain.findFirst({
    where: { name, ownsName: true, teamId },
    select: { id: true, teamId: true, ownedAt: true, receivingUnprovenUntil: true },
  })
  if (owner) {
    const { receivingUnprovenUntil: until } = owner
    return { teamId: owner.teamId, domainId: owner.id, since: owner.ownedAt, isUnproven: until !== null && until <= now }
  }
  const claim = await tables.domainClaim.findFirst({
    where: { name, teamId, status: 'completed', endedAt: { gt: reservedAfter(now) } },
    select: { teamId: true, domainId: true, endedAt: true },
  })
  if (claim) return { teamId: claim.teamId, domainId: claim.domainId, since: claim.endedAt, isUnproven: false }
  const former = await tables.formerDomain.findFirst({
    where: { name, teamId, endedAt: { gt: formerAfter(now) } },
    select: { teamId: true, domainId: true },
    orderBy: { endedAt: 'desc' },
  })
  return former && { ...former, since: null, isUnproven: false }
}

/** Names that were given up before this time are free. */
export const formerAfter = (now: Date): Date => new Date(now.getTime() - FORMER_MS)

/** Runs in the transaction that takes the name from the team. */
export async function rememberHolder(
  { formerDomain }: Pick<Tables, 'formerDomain'>,
  { teamId, domain: { id: domainId, name }, now: endedAt }: { teamId: string; domain: { id: string; name: string }; now: Date },
): Promise<void> {
  await formerDomain.upsert({
    where: { name_teamId: { name, teamId } },
    create: { name, teamId, domainId, endedAt },
    update: { domainId, endedAt },
  })
}

/** Takes the name from a team that never proved it. Its domain must be locked. */
export async function takeUnprovenName(
  { tables, execute }: RecordTransaction,
  { teamId, domainId }: NameHolder,
  { installation, now }: { installation: Installation; now: Date },
): Promise<void> {
  const data = { ownsName: false, ownedAt: null, canSend: false, status: 'failed', receivingUnprovenUntil: null }
  const row = toDomainRow(await tables.domain.update({ where: { id: domainId }, data, select: domainColumns }))
  const domain = await withRecords(tables, row, installation)
  await appendDomainNotification(execute, 'domain.updated', { teamId, domain, now })
}

/**
 * Whether bounces or links of a domain that another team has verified lead to this name. That team has published an MX record at it, or an alias,
 * which says nothing about who asks.
 */
export async function isHostOfOtherTeam(
  tables: Pick<RecordTransaction['tables'], 'domain'>,
  { name, exceptTeamId }: { name: string; exceptTeamId: string },
): Promise<boolean> {
  const [label = '', ...parent] = name.split('.')
  const used = await tables.domain.findFirst({
    where: {
      name: parent.join('.'),
      ownsName: true,
      teamId: { not: exceptTeamId },
      OR: [{ returnPath: label }, { trackingSubdomain: label }],
    },
    select: { id: true },
  })
  return used !== null
}
