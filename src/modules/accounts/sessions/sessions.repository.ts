// Who is signed in. The row is the right to look: signing out removes it, and so does the end of the person. What the person may do in a team is read with
// it, so a removal or another role holds at the next request; in SQL, because every request of a person asks it.

import { oneOf } from '../../../db/columns.ts'
import type { Database, Execute } from '../../../db/database.ts'
import { readPage } from '../../../db/page.ts'
import { MEMBER_ROLES, type MemberRole } from '../../../lib/member-roles.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'

/** `api_key`: only in sessions of versions before 0.2, which are of no person. */
export const SIGN_IN_METHODS = ['api_key', 'link', 'identity_provider', 'passkey'] as const
export const PERSON_METHODS = SIGN_IN_METHODS.filter((method) => method !== 'api_key')
export type SignInMethod = (typeof PERSON_METHODS)[number]

/** @throws Error for a session of a key, which is of no person */
function methodOfPerson(method: string): SignInMethod {
  const known = oneOf(SIGN_IN_METHODS, method)
  if (known === 'api_key') throw new Error('A session of a key is listed for no one')
  return known
}

/** How someone signed in, and from where. */
export type SignIn<Method = SignInMethod> = { method: Method; address: string; browser: string }

export type NewSession = SignIn & {
  digest: string
  id: string
  personId: string
  teamId: string | null
  createdAt: Date
  expiresAt: Date
  confirmedAt: Date | null
  operatorUntil: Date | null
}
export type SessionRow<Method = SignInMethod> = SignIn<Method> & { id: string; createdAt: Date; usedAt: Date; expiresAt: Date }
/**
 * `team`: the one that the session looks at, with the role of the person there; null: they belong to none, or not to that one. `isOperatorByGroup`: whether
 * the groups with which they signed in still make them an operator.
 */
export type FoundSession = {
  id: string
  personId: string
  email: string
  name: string
  createdAt: Date
  usedAt: Date
  confirmedAt: Date | null
  isOperatorByGroup: boolean
  team: { id: string; name: string; role: MemberRole } | null
}

/** Sessions of one person at once. One more ends the one that would expire first. */
export const SESSIONS_PER_PERSON_MAX = 100
/** Rows that one statement removes: few enough not to hold anyone up. */
export const EXPIRED_AT_ONCE = 1_000

const columns = { id: true, method: true, address: true, browser: true, createdAt: true, usedAt: true, expiresAt: true }

type SessionSqlRow = Omit<FoundSession, 'team'> & { teamId: string | null; teamName: string | null; role: string | null }

export function sessionRepository({ tables, records, execute }: Pick<Database, 'tables' | 'records' | 'execute'>) {
  return {
    /** False if there is no such person. */
    async add({ createdAt, ...session }: NewSession): Promise<boolean> {
      const { personId } = session
      return records(async ({ tables: inside, execute: executeInside }) => {
        // Requests that sign in as one person take turns. Two that counted at once would both take the last place.
        if (!(await lockPerson(executeInside, personId))) return false
        const ending = await inside.session.findMany({
          where: { personId },
          select: { digest: true },
          orderBy: [{ expiresAt: 'desc' }, { digest: 'asc' }],
          skip: SESSIONS_PER_PERSON_MAX - 1,
        })
        await inside.session.deleteMany({ where: { personId, digest: { in: ending.map(({ digest }) => digest) } } })
        await inside.session.create({ data: { ...session, createdAt, usedAt: createdAt }, select: { digest: true } })
        return true
      })
    },

    /**
     * Null if there is no such session, or if it has expired. Not cached, because a session ends at once. Crosses teams: the digest is the credential.
     * @param teamId the team that is asked for; null: the one that the session looked at last, or the person's oldest, rather than one that is deleted.
     */
    async findAcrossTeams(digest: string, teamId: string | null, now: Date): Promise<FoundSession | null> {
      const [row] = await execute<SessionSqlRow>(FIND, [digest, now, teamId])
      if (!row) return null
      const { teamId: foundId, teamName, role, ...session } = row
      const team = foundId === null || role === null ? null : { id: foundId, name: teamName ?? '', role: oneOf(MEMBER_ROLES, role) }
      return { ...session, team }
    },

    /** What names a session that has not ended; null if there is none. */
    async digestAcrossTeams(id: string, now: Date): Promise<string | null> {
      const found = await tables.session.findFirst({ where: { id, expiresAt: { gt: now } }, select: { digest: true } })
      return found?.digest ?? null
    },

    /** Whether a session has not ended, and its person still has this role in the team. */
    async lastsAcrossTeams(id: string, { teamId, role, now }: { teamId: string; role: string; now: Date }): Promise<boolean> {
      return (await execute(LASTS, [id, now, teamId, role])).length > 0
    },

    async usedAcrossTeams(id: string, now: Date, expiresAt: Date): Promise<void> {
      await tables.session.updateMany({ where: { id }, data: { usedAt: now, expiresAt } })
    },

    /** The team that the session looks at from now on. */
    async lookAtAcrossTeams(id: string, personId: string, teamId: string): Promise<void> {
      await tables.session.updateMany({ where: { id, personId }, data: { teamId } })
    },

    async confirmAcrossTeams(id: string, personId: string, at: Date): Promise<void> {
      await tables.session.updateMany({ where: { id, personId }, data: { confirmedAt: at } })
    },

    /** Lists the sessions of a person that have not expired. */
    listOf(personId: string, now: Date, request: PageRequest): Promise<Page<SessionRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.session.findMany({ where: { personId, expiresAt: { gt: now }, ...where }, select: columns, ...rest })
        return rows.map(({ method, ...row }) => ({ ...row, method: methodOfPerson(method) }))
      })
    },

    async removeAcrossTeams(digest: string): Promise<void> {
      await tables.session.deleteMany({ where: { digest } })
    },

    /** False if the person has no such session. */
    async end(personId: string, id: string): Promise<boolean> {
      return (await tables.session.deleteMany({ where: { personId, id } })).count > 0
    },

    /** Ends all sessions of the person but one; returns how many. */
    async endOthers(personId: string, keptId: string): Promise<number> {
      return (await tables.session.deleteMany({ where: { personId, id: { not: keptId } } })).count
    },

    /** Removes expired sessions, a batch at a time; returns how many. */
    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      const { count } = await tables.session.deleteMany({ where: { expiresAt: { lte: now } }, limit: EXPIRED_AT_ONCE })
      return count
    },
  }
}

/** No other session of the person begins meanwhile, and no other passkey is added. False if there is no such person. */
export const lockPerson = async (execute: Execute, personId: string): Promise<boolean> =>
  (await execute('select from persons where id = $1 for no key update', [personId])).length > 0

const FIND = `
select s.id, s.person_id as "personId", p.email, p.name, s.created_at as "createdAt", s.used_at as "usedAt", s.confirmed_at as "confirmedAt",
       coalesce(s.operator_until > $2, false) as "isOperatorByGroup",
       m.team_id as "teamId", m.team_name as "teamName", m.role
  from sessions s join persons p on p.id = s.person_id
  left join lateral (
    select m.team_id, t.name as team_name, m.role from members m join teams t on t.id = m.team_id
     where m.person_id = s.person_id and ($3::uuid is null or m.team_id = $3)
     order by t.deleted_at is not null, m.team_id = s.team_id desc nulls last, m.created_at, m.team_id limit 1) m on true
 where s.digest = $1 and s.expires_at > $2`

const LASTS = `
select from sessions s join members m on m.person_id = s.person_id join teams t on t.id = m.team_id
 where s.id = $1 and s.expires_at > $2 and m.team_id = $3 and m.role = $4 and t.deleted_at is null`
