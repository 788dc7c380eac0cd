// Links that sign in once. The row is the right to do so: redeeming removes it.
import type { Database, RecordTransaction } from '../database.ts'

/** `person`: whom the identity provider named; null for a link of the command line. */
export type SignInLink = { digest: string; teamId: string; apiKeyId: string; person: string | null; expiresAt: Date }
type Holder = Pick<SignInLink, 'teamId' | 'apiKeyId' | 'person'>

export function signInLinkRepository({ tables, records }: Pick<Database, 'tables' | 'records'>) {
  return {
    /** Adds a link, and removes the expired ones of the team. */
    async add({ digest, teamId, apiKeyId, person, expiresAt }: SignInLink, now: Date): Promise<void> {
      await tables.signInLink.deleteMany({ where: { teamId, expiresAt: { lte: now } } })
      await tables.signInLink.create({ data: { digest, teamId, apiKeyId, person, expiresAt }, select: { digest: true } })
    },

    /** The team that the link would sign in to; null if none. The check does not use it up. */
    async teamAcrossTeams(digest: string, now: Date): Promise<string | null> {
      return (await findHolder(tables, digest, now))?.teamId ?? null
    },

    /**
     * Uses the link up and returns its owner; null if there is none, if it has expired or if its key was deleted. Crosses teams: the token is the
     * credential.
     */
    async redeemAcrossTeams(digest: string, now: Date): Promise<Holder | null> {
      return records(async ({ tables: inside }) => {
        const holder = await findHolder(inside, digest, now)
        // If several requests redeem it at once, the one that removes it wins.
        const { count } = await inside.signInLink.deleteMany({ where: { digest, expiresAt: { gt: now } } })
        return count > 0 ? holder : null
      })
    },
  }
}

async function findHolder(tables: RecordTransaction['tables'], digest: string, now: Date): Promise<Holder | null> {
  const link = await tables.signInLink.findFirst({
    where: { digest, expiresAt: { gt: now } },
    select: { teamId: true, apiKeyId: true, person: true },
  })
  if (!link) return null
  const keys = await tables.apiKey.count({ where: { teamId: link.teamId, id: link.apiKeyId } })
  return keys > 0 ? link : null
}
