// How access ends: the grants first, so that none of their codes and refresh tokens can be used again, then those.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { RecordTransaction } from '../database.ts'

/** Ends the active grants of `where`. Returns how many ended. */
export async function endGrants(
  { tables }: Pick<RecordTransaction, 'tables'>,
  where: Prisma.OAuthGrantWhereInput & { teamId: string },
  { at, reason }: { at: Date; reason: string },
): Promise<number> {
  const ended = await tables.oAuthGrant.updateManyAndReturn({
    where: { ...where, revokedAt: null },
    data: { revokedAt: at, revokedReason: reason },
    select: { id: true },
  })
  if (ended.length > 0) await tables.oAuthRecord.deleteMany({ where: { grantId: { in: ended.map(({ id }) => id) } } })
  return ended.length
}
