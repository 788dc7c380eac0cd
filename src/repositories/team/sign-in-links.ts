// Links that sign in once; in SQL, because redeeming one and finding whose it is are one statement.
// The row is the right to do so: redeeming removes it.
import type { Database } from '../database.ts'

export type SignInLink = { digest: string; teamId: string; apiKeyId: string; expiresAt: Date }

export function signInLinkRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Adds a link, and removes those whose time is over. */
    async add({ digest, teamId, apiKeyId, expiresAt }: SignInLink, now: Date): Promise<void> {
      await execute(
        'with expired as (delete from sign_in_links where expires_at <= $5) insert into sign_in_links (digest, team_id, api_key_id, expires_at) values ($1, $2, $3, $4)',
        [digest, teamId, apiKeyId, expiresAt, now],
      )
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
      const [holder] = await execute<{ teamId: string; apiKeyId: string }>(
        `delete from sign_in_links l using api_keys k
          where l.digest = $1 and l.expires_at > $2 and k.team_id = l.team_id and k.id = l.api_key_id
          returning l.team_id as "teamId", l.api_key_id as "apiKeyId"`,
        [digest, now],
      )
      return holder ?? null
    },
  }
}
