// Links that sign in once. The row is the right to do so: redeeming removes it.
import type { Database } from '../../../db/database.ts'
import { EXPIRED_AT_ONCE } from './sessions.repository.ts'

/**
 * `personId`: null for the first owner of the team, who is asked for a name and an address. `browserDigest`: digest of a secret of the browser that asked for the
 * link; null: a command made it. `issuer` and `subject`: the identity that the person confirms by it. `isOperator`: by the groups that the identity has.
 */
export type SignInLink = {
  digest: string
  personId: string | null
  teamId: string | null
  browserDigest: string | null
  issuer: string | null
  subject: string | null
  next: string | null
  isOperator: boolean
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
  isOperator: true,
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
