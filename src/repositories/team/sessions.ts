// Who is signed in to the console. The row is the right to look: signing out removes it, and so does the deletion of its key.
import type { Database } from '../database.ts'
import { lockKey } from '../locks.ts'

export type Session = { digest: string; teamId: string; apiKeyId: string; expiresAt: Date }
export type SessionHolder = { teamId: string; apiKeyId: string }

/** Sessions of one key at once. One more ends the one that would expire first. */
export const SESSIONS_PER_KEY_MAX = 100
/** Rows that one statement removes: few enough not to hold anyone up. */
const EXPIRED_AT_ONCE = 1_000

export function sessionRepository({ tables, records }: Pick<Database, 'tables' | 'records'>) {
  return {
    /** False if the team has no such key with full access: no one is signed in then. */
    async add({ digest, teamId, apiKeyId, expiresAt }: Session): Promise<boolean> {
      return records(async ({ tables: inside, execute }) => {
        // Requests that sign in with one key take turns. Two that counted at once would both take the last place.
        if (!(await lockKey(execute, teamId, apiKeyId))) return false
        const keys = await inside.apiKey.count({ where: { teamId, id: apiKeyId, permission: 'full_access' } })
        if (keys === 0) return false
        const ending = await inside.session.findMany({
          where: { teamId, apiKeyId },
          select: { digest: true },
          orderBy: [{ expiresAt: 'desc' }, { digest: 'asc' }],
          skip: SESSIONS_PER_KEY_MAX - 1,
        })
        await inside.session.deleteMany({ where: { teamId, digest: { in: ending.map((session) => session.digest) } } })
        await inside.session.create({ data: { digest, teamId, apiKeyId, expiresAt }, select: { digest: true } })
        return true
      })
    },

    /** Null if there is no such session, or if it has expired. Not cached, because a session ends at once. */
    find(teamId: string, digest: string, now: Date): Promise<SessionHolder | null> {
      return tables.session.findFirst({
        where: { teamId, digest, expiresAt: { gt: now }, apiKey: { teamId, permission: 'full_access' } },
        select: { teamId: true, apiKeyId: true },
      })
    },

    async remove(teamId: string, digest: string): Promise<void> {
      await tables.session.deleteMany({ where: { teamId, digest } })
    },

    /** Removes expired sessions, a batch at a time; returns how many. */
    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      const { count } = await tables.session.deleteMany({ where: { expiresAt: { lte: now } }, limit: EXPIRED_AT_ONCE })
      return count
    },
  }
}
