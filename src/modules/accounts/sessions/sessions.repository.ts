// Who is signed in. The row is the right to look: signing out removes it, and so does the end of the person. What the person may do in a team is read with
// it, so a removal or another role holds at the next request; in SQL, because every request of a person asks it.

import { oneOf } from '../../../db/columns.ts'
import type { Database, Execute } from '../../../db/database.ts'
import { readPage } from '../../../db/page.ts'
import { MEMBER_ROLES } from '../../../lib/member-roles.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import type { Role } from '../people/roles.ts'

export const OPERATOR_METHODS = ['link', 'identity_provider'] as const
export type OperatorMethod = (typeof OPERATOR_METHODS)[number]
/** `api_key`: only in sessions of versions before 0.2, which are of no person. */
export const SIGN_IN_METHODS = ['api_key', ...OPERATOR_METHODS, 'passkey'] as const
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
}
export type SessionRow<Method = SignInMethod> = SignIn<Method> & { id: string; createdAt: Date; usedAt: Date; expiresAt: Date }
/** `team`: the one that the session looks at, with the role of the person there; null: they belong to none, or not to that one. */
export type FoundSession = {
  id: string
  personId: string
  email: string
  name: string
  createdAt: Date
  usedAt: Date
  confirmedAt: Date | null
  team: { id: string; name: string; role: Role } | null
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

// Operators who are signed in to the console, and the links that sign them in. They belong to no team, so every function is for operators alone.

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

// Links that sign in once. The row is the right to do so: redeeming removes it.

/**
 * `personId`: null for the first owner of the team, who is asked for a name and an address. `browserDigest`: digest of a secret of the browser that asked for the
 * link; null: a command made it. `issuer` and `subject`: the identity that the person confirms by it.
 */
export type SignInLink = {
  digest: string
  personId: string | null
  teamId: string | null
  browserDigest: string | null
  issuer: string | null
  subject: string | null
  next: string | null
  expiresAt: Date
}
export type OpenLink = SignInLink & { email: string | null }

/** Open links of one person. One more ends the oldest. More than anyone can have mailed to them, so that no stranger ends one that they have. */
const LINKS_PER_PERSON_MAX = 20

const linkColumns = {
  digest: true,
  personId: true,
  teamId: true,
  browserDigest: true,
  issuer: true,
  subject: true,
  next: true,
  expiresAt: true,
  holder: { select: { email: true } },
} as const

export function signInLinkRepository({ tables, records }: Pick<Database, 'tables' | 'records'>) {
  const found = (digest: string, now: Date) => ({ digest, expiresAt: { gt: now }, apiKeyId: null })
  return {
    /** Adds a link, and removes those of the person that are expired or too many. */
    async addAcrossTeams(link: SignInLink): Promise<void> {
      const { personId } = link
      if (personId !== null) {
        const ending = await tables.signInLink.findMany({
          where: { personId },
          select: { digest: true },
          orderBy: { expiresAt: 'desc' },
          skip: LINKS_PER_PERSON_MAX - 1,
        })
        await tables.signInLink.deleteMany({ where: { digest: { in: ending.map(({ digest }) => digest) } } })
      }
      await tables.signInLink.create({ data: link, select: { digest: true } })
    },

    /** What the link opens; null if nothing. The check does not use it up. Crosses teams: the token is the credential. */
    async openAcrossTeams(digest: string, now: Date): Promise<OpenLink | null> {
      const link = await tables.signInLink.findFirst({ where: found(digest, now), select: linkColumns })
      if (!link || (link.personId === null && link.teamId === null)) return null
      const { holder, ...rest } = link
      return { ...rest, email: holder?.email ?? null }
    },

    /** Uses the link up; null if there is none, if it has expired or if another request was first. */
    async redeemAcrossTeams(digest: string, now: Date): Promise<OpenLink | null> {
      return records(async ({ tables: inside }) => {
        const link = await inside.signInLink.findFirst({ where: found(digest, now), select: linkColumns })
        const { count } = await inside.signInLink.deleteMany({ where: found(digest, now) })
        if (count === 0 || !link) return null
        const { holder, ...rest } = link
        return { ...rest, email: holder?.email ?? null }
      })
    },

    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      return (await tables.signInLink.deleteMany({ where: { expiresAt: { lte: now } }, limit: EXPIRED_AT_ONCE })).count
    },
  }
}
