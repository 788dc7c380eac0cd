// Operators who are signed in to the console, and the links that sign them in. They belong to no team, so every function is for operators alone.
import { oneOf } from '../../../db/columns.ts'
import type { Database } from '../../../db/database.ts'
import { readPage } from '../../../db/page.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { EXPIRED_AT_ONCE, OPERATOR_METHODS, type OperatorMethod, type SessionRow, type SignIn } from './sessions.repository.ts'

export type NewOperatorSession = SignIn<OperatorMethod> & {
  person: string | null
  digest: string
  id: string
  createdAt: Date
  expiresAt: Date
}

/** The limit of sessions at once. One more ends the one that would expire first. */
const SESSIONS_MAX = 100

const operatorColumns = {
  id: true,
  method: true,
  person: true,
  address: true,
  browser: true,
  createdAt: true,
  usedAt: true,
  expiresAt: true,
}

export function operatorSignInRepository({ tables, records }: Pick<Database, 'tables' | 'records'>) {
  return {
    /** Adds a link, and removes the expired ones. */
    async addLink({ digest, person, expiresAt }: { digest: string; person: string | null; expiresAt: Date }, now: Date): Promise<void> {
      await tables.operatorLink.deleteMany({ where: { expiresAt: { lte: now } } })
      await tables.operatorLink.create({ data: { digest, person, expiresAt }, select: { digest: true } })
    },

    async isValidLink(digest: string, now: Date): Promise<boolean> {
      return (await tables.operatorLink.count({ where: { digest, expiresAt: { gt: now } } })) > 0
    },

    /** Uses the link up; null if there is none or if it has expired. */
    async redeemLink(digest: string, now: Date): Promise<{ person: string | null } | null> {
      return records(async ({ tables: inside }) => {
        const link = await inside.operatorLink.findFirst({ where: { digest, expiresAt: { gt: now } }, select: { person: true } })
        // If several requests redeem it at once, the one that removes it wins.
        const { count } = await inside.operatorLink.deleteMany({ where: { digest, expiresAt: { gt: now } } })
        return count > 0 ? link : null
      })
    },

    async add({ createdAt, ...session }: NewOperatorSession): Promise<void> {
      const ending = await tables.operatorSession.findMany({
        select: { digest: true },
        orderBy: [{ expiresAt: 'desc' }, { digest: 'asc' }],
        skip: SESSIONS_MAX - 1,
      })
      await tables.operatorSession.deleteMany({ where: { digest: { in: ending.map(({ digest }) => digest) } } })
      await tables.operatorSession.create({ data: { ...session, createdAt, usedAt: createdAt }, select: { digest: true } })
    },

    /** Null if there is no such session, or if it has expired. */
    find(digest: string, now: Date): Promise<{ id: string; usedAt: Date } | null> {
      return tables.operatorSession.findFirst({ where: { digest, expiresAt: { gt: now } }, select: { id: true, usedAt: true } })
    },

    async used(id: string, now: Date): Promise<void> {
      await tables.operatorSession.updateMany({ where: { id }, data: { usedAt: now } })
    },

    list(now: Date, request: PageRequest): Promise<Page<SessionRow<OperatorMethod> & { person: string | null }>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.operatorSession.findMany({
          where: { expiresAt: { gt: now }, ...where },
          select: operatorColumns,
          ...rest,
        })
        return rows.map(({ method, ...row }) => ({ ...row, method: oneOf(OPERATOR_METHODS, method) }))
      })
    },

    async remove(digest: string): Promise<void> {
      await tables.operatorSession.deleteMany({ where: { digest } })
    },

    /** False if there is no such session. */
    async end(id: string): Promise<boolean> {
      return (await tables.operatorSession.deleteMany({ where: { id } })).count > 0
    },

    /** Ends all but one; returns how many. */
    async endOthers(keptId: string): Promise<number> {
      return (await tables.operatorSession.deleteMany({ where: { id: { not: keptId } } })).count
    },

    /** Removes expired sessions, a batch at a time; returns how many. */
    async removeExpired(now: Date): Promise<number> {
      return (await tables.operatorSession.deleteMany({ where: { expiresAt: { lte: now } }, limit: EXPIRED_AT_ONCE })).count
    },
  }
}
