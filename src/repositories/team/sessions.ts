// Who is signed in to the console; in SQL, because adding one locks its key, and every page looks for session and key at once.
// The row is the right to look: signing out removes it, and so does the deletion of its key.
import type { Database } from '../database.ts'

export type Session = { digest: string; teamId: string; apiKeyId: string; expiresAt: Date }
export type SessionHolder = { teamId: string; apiKeyId: string }

/** Of one key at once; one more ends the one that would expire first. */
export const SESSIONS_PER_KEY_MAX = 100
/** Rows that one statement removes: few enough not to hold anyone up. */
const EXPIRED_AT_ONCE = 1_000

export function sessionRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /** False when the team has no such key with full access (any more): no one is signed in then. */
    async add({ digest, teamId, apiKeyId, expiresAt }: Session): Promise<boolean> {
      return transaction(async (inside) => {
        // Those who sign in with one key take turns: two that counted at once would both keep the place that is left.
        const [key] = await inside(
          "select id from api_keys where team_id = $1 and id = $2 and permission = 'full_access' for no key update",
          [teamId, apiKeyId],
        )
        if (!key) return false
        await inside(
          `delete from sessions where digest in (
             select digest from sessions where team_id = $1 and api_key_id = $2 order by expires_at desc, digest offset ${SESSIONS_PER_KEY_MAX - 1})`,
          [teamId, apiKeyId],
        )
        await inside('insert into sessions (digest, team_id, api_key_id, expires_at) values ($1, $2, $3, $4)', [
          digest,
          teamId,
          apiKeyId,
          expiresAt,
        ])
        return true
      })
    },

    /** Null: there is no such session, or its time is over. Not cached: a session ends at once. */
    async find(teamId: string, digest: string, now: Date): Promise<SessionHolder | null> {
      const [holder] = await execute<SessionHolder>(
        `select s.team_id as "teamId", s.api_key_id as "apiKeyId" from sessions s join api_keys k on k.id = s.api_key_id
          where s.team_id = $1 and s.digest = $2 and s.expires_at > $3 and k.team_id = s.team_id and k.permission = 'full_access'`,
        [teamId, digest, now],
      )
      return holder ?? null
    },

    async remove(teamId: string, digest: string): Promise<void> {
      await execute('delete from sessions where team_id = $1 and digest = $2', [teamId, digest])
    },

    /** Removes sessions whose time is over, a batch at a time; returns how many. */
    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      const rows = await execute(
        `delete from sessions where digest in (select digest from sessions where expires_at <= $1 limit ${EXPIRED_AT_ONCE}) returning 1`,
        [now],
      )
      return rows.length
    },
  }
}
