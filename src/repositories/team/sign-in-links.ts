// Links that sign in once. The row is the right to do so: redeeming removes it.
import type { Database } from '../database.ts'

export type SignInLink = { digest: string; teamId: string; apiKeyId: string; expiresAt: Date }

export function signInLinkRepository({ tables, records }: Pick<Database, 'tables' | 'records'>) {
  return {
    /** Adds a link, and removes those whose time is over. */
    async add({ digest, teamId, apiKeyId, expiresAt }: SignInLink, now: Date): Promise<void> {
      await tables.signInLink.deleteMany({ where: { expiresAt: { lte: now } } })
      await tables.signInLink.create({ data: { digest, teamId, apiKeyId, expiresAt }, select: { digest: true } })
    },

    /** Whether redeeming the link would sign in. Looking does not use it up. */
    async isValidAcrossTeams(digest: string, now: Date): Promise<boolean> {
      const rows = await execute(
        `select 1 from sign_in_links l join api_keys k on k.team_id = l.team_id and k.id = l.api_key_id
          where l.digest = $1 and l.expires_at > $2`,
        [digest, now],
      )
      return rows.length > 0
    },

    /** Uses the link up and says whose it was; null when there is none, its time is over or its key was deleted. Crosses teams: the token is the credential. */
    async redeemAcrossTeams(digest: string, now: Date): Promise<{ teamId: string; apiKeyId: string } | null> {
      return records(async ({ tables: inside }) => {
        const holder = await inside.signInLink.findUnique({ where: { digest }, select: { teamId: true, apiKeyId: true } })
        // Of several that redeem it at once, the one that removes it has it.
        const { count } = await inside.signInLink.deleteMany({ where: { digest, expiresAt: { gt: now } } })
        if (!holder || count === 0) return null
        const keys = await inside.apiKey.count({ where: { teamId: holder.teamId, id: holder.apiKeyId } })
        return keys > 0 ? holder : null
      })
    },
  }
}
