// Who is signed in to the console. The row is the right to look: signing out removes it, and so does the deletion of its key.
import type { Database } from '../database.ts'
import { lockKey } from '../locks.ts'

export type Session = { digest: string; teamId: string; apiKeyId: string; expiresAt: Date }
export type SessionHolder = { teamId: string; apiKeyId: string }

/** Of one key at once; one more ends the one that would expire first. */
export const SESSIONS_PER_KEY_MAX = 100
/** Rows that one statement removes: few enough not to hold anyone up. */
const EXPIRED_AT_ONCE = 1_000

export function sessionRepository({ tables, records }: Pick<Database, 'tables' | 'records'>) {
  return {
    /** False when the team has no such key with full access (any more): no one is signed in then. */
    async add({ digest, teamId, apiKeyId, expiresAt }: Session): Promise<boolean> {
      return records(async ({ tables: inside, execute }) => {
        // Those who sign in with one key take turns: two that counted at once would both keep the place that is left.
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

    /** Null: there is no such session, or its time is over. Not cached: a session ends at once. */
    find(teamId: string, digest: string, now: Date): Promise<SessionHolder | null> {
      return tables.session.findFirst({
        where: { teamId, digest, expiresAt: { gt: now }, apiKey: { teamId, permission: 'full_access' } },
        select: { teamId: true, apiKeyId: true },
      })
    },

    async remove(teamId: string, digest: string): Promise<void> {
      await tables.session.deleteMany({ where: { teamId, digest } })
    },

    /** Removes sessions whose time is over, a batch at a time; returns how many. */
    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      const { count } = await tables.session.deleteMany({ where: { expiresAt: { lte: now } }, limit: EXPIRED_AT_ONCE })
      return count
    },
  }
}
