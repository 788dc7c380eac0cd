// Who is signed in to the console. The row is the right to look: signing out removes it, and so does the deletion of its key.
import type { PageRequest } from '../../lib/page-request.ts'
import { oneOf } from '../columns.ts'
import type { Database } from '../database.ts'
import { lockKey } from '../locks.ts'
import { type Page, readPage } from '../page.ts'

export type SignInMethod = 'api_key' | 'link' | 'identity_provider'

/** How someone signed in, and from where. `person`: whom the identity provider named. */
export type SignIn<Method = SignInMethod> = { method: Method; person: string | null; address: string; browser: string }

export type NewSession = SessionHolder & SignIn & { digest: string; id: string; createdAt: Date; expiresAt: Date }
export type SessionHolder = { teamId: string; apiKeyId: string }
export type FoundSession = SessionHolder & { id: string; usedAt: Date }
export type SessionRow<Method = SignInMethod> = SignIn<Method> & { id: string; createdAt: Date; usedAt: Date; expiresAt: Date }

/** Sessions of one key at once. One more ends the one that would expire first. */
export const SESSIONS_PER_KEY_MAX = 100
/** Rows that one statement removes: few enough not to hold anyone up. */
export const EXPIRED_AT_ONCE = 1_000

const METHODS: Record<SignInMethod, true> = { api_key: true, link: true, identity_provider: true }
const columns = { id: true, method: true, person: true, address: true, browser: true, createdAt: true, usedAt: true, expiresAt: true }

export function sessionRepository({ tables, records }: Pick<Database, 'tables' | 'records'>) {
  return {
    /** False if the team has no such key with full access: no one is signed in then. */
    async add({ createdAt, ...session }: NewSession): Promise<boolean> {
      const { teamId, apiKeyId } = session
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
        await inside.session.deleteMany({ where: { teamId, digest: { in: ending.map(({ digest }) => digest) } } })
        await inside.session.create({ data: { ...session, createdAt, usedAt: createdAt }, select: { digest: true } })
        return true
      })
    },

    /** Null if there is no such session, or if it has expired. Not cached, because a session ends at once. */
    find(teamId: string, digest: string, now: Date): Promise<FoundSession | null> {
      return tables.session.findFirst({
        where: { teamId, digest, expiresAt: { gt: now }, apiKey: { teamId, permission: 'full_access' } },
        select: { teamId: true, apiKeyId: true, id: true, usedAt: true },
      })
    },

    async used(teamId: string, id: string, now: Date): Promise<void> {
      await tables.session.updateMany({ where: { teamId, id }, data: { usedAt: now } })
    },

    /** Lists the sessions that have not expired. */
    list(teamId: string, now: Date, request: PageRequest): Promise<Page<SessionRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.session.findMany({ where: { teamId, expiresAt: { gt: now }, ...where }, select: columns, ...rest })
        return rows.map(({ method, ...row }) => ({ ...row, method: oneOf(METHODS, method) }))
      })
    },

    async remove(teamId: string, digest: string): Promise<void> {
      await tables.session.deleteMany({ where: { teamId, digest } })
    },

    /** False if the team has no such session. */
    async end(teamId: string, id: string): Promise<boolean> {
      return (await tables.session.deleteMany({ where: { teamId, id } })).count > 0
    },

    /** Ends all sessions of the team but one; returns how many. */
    async endOthers(teamId: string, keptId: string): Promise<number> {
      return (await tables.session.deleteMany({ where: { teamId, id: { not: keptId } } })).count
    },

    /** Removes expired sessions, a batch at a time; returns how many. */
    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      const { count } = await tables.session.deleteMany({ where: { expiresAt: { lte: now } }, limit: EXPIRED_AT_ONCE })
      return count
    },
  }
}
