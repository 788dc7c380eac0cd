// Which team has a name: the one that verified it, or the one that took it over and has not verified it yet.
import { reservedAfter } from '../../lib/domains/claim-states.ts'
import type { RecordTransaction } from '../database.ts'

/** `since`: when it got the name; null if that was before it was recorded. */
export type NameHolder = { teamId: string; domainId: string; since: Date | null }

/** Null if no other team has the name. */
export async function findHolder(
  tables: Pick<RecordTransaction['tables'], 'domain' | 'domainClaim'>,
  { name, exceptTeamId, now }: { name: string; exceptTeamId: string; now: Date },
): Promise<NameHolder | null> {
  const teamId = { not: exceptTeamId }
  const owner = await tables.domain.findFirst({
    where: { name, ownsName: true, teamId },
    select: { id: true, teamId: true, ownedAt: true },
  })
  if (owner) return { teamId: owner.teamId, domainId: owner.id, since: owner.ownedAt }
  const claim = await tables.domainClaim.findFirst({
    where: { name, teamId, status: 'completed', endedAt: { gt: reservedAfter(now) } },
    select: { teamId: true, domainId: true, endedAt: true },
  })
  return claim && { teamId: claim.teamId, domainId: claim.domainId, since: claim.endedAt }
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
