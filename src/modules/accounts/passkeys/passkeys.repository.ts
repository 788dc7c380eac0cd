// Passkeys of people, and the challenges that passkeys have answered. A person is of no team.
import { outsideAct } from '../../../db/acts.ts'
import type { Database } from '../../../db/database.ts'
import { readPage } from '../../../db/page.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { EXPIRED_AT_ONCE, lockPerson } from '../sessions/sessions.repository.ts'

/** `host`: that of PUBLIC_URL when it was made. `address`, `browser`: where it was made. */
export type PasskeyRow = { id: string; name: string; host: string; address: string; browser: string; createdAt: Date; usedAt: Date | null }
export type Credential = { credentialId: string; publicKey: Uint8Array<ArrayBuffer>; counter: number; transports: string[] }
export type NewPasskey = Omit<PasskeyRow, 'usedAt'> & Credential & { personId: string }
/** What an answer is compared with. */
export type KnownPasskey = { id: string; personId: string; publicKey: Uint8Array<ArrayBuffer> }

/** Several devices, with a key in the drawer. */
export const PASSKEYS_PER_PERSON_MAX = 10

const columns = { id: true, name: true, host: true, address: true, browser: true, createdAt: true, usedAt: true }

export function passkeyRepository({ tables, records }: Pick<Database, 'tables' | 'records'>) {
  return {
    /** `known`: someone has this credential already. `tooMany`: the person has as many as they may. */
    addAcrossTeams({ counter, ...passkey }: NewPasskey): Promise<PasskeyRow | 'known' | 'tooMany'> {
      return records(async (inside) => {
        // Two that counted at once would both take the last place.
        await lockPerson(inside.execute, passkey.personId)
        if ((await inside.tables.passkey.count({ where: { personId: passkey.personId } })) >= PASSKEYS_PER_PERSON_MAX) return 'tooMany'
        const [added] = await inside.tables.passkey.createManyAndReturn({
          data: [{ ...passkey, counter: BigInt(counter) }],
          skipDuplicates: true,
          select: columns,
        })
        return added ?? 'known'
      })
    },

    listOf(personId: string, request: PageRequest): Promise<Page<PasskeyRow>> {
      return readPage(request, ({ where, ...rest }) => tables.passkey.findMany({ where: { personId, ...where }, select: columns, ...rest }))
    },

    /** The credentials of a person for this host, as a browser is told of them. */
    credentialsOf(personId: string, host: string): Promise<{ credentialId: string; transports: string[] }[]> {
      return tables.passkey.findMany({
        where: { personId, host },
        select: { credentialId: true, transports: true },
        orderBy: { id: 'asc' },
      })
    },

    countOf: (personId: string): Promise<number> => tables.passkey.count({ where: { personId } }),

    /** Crosses teams: a sign-in names its credential alone. */
    findAcrossTeams: (credentialId: string, host: string): Promise<KnownPasskey | null> =>
      tables.passkey.findFirst({ where: { credentialId, host }, select: { id: true, personId: true, publicKey: true } }),

    /**
     * False if the counter did not rise: a copy of the passkey may have been used meanwhile. Authenticators that count nothing always say 0 (Web
     * Authentication, section 6.1.1).
     */
    async usedAcrossTeams(id: string, counter: number, usedAt: Date): Promise<boolean> {
      const { count } = await tables.passkey.updateMany({
        where: { id, OR: [{ counter: { lt: BigInt(counter) } }, ...(counter === 0 ? [{ counter: 0n }] : [])] },
        data: { counter: BigInt(counter), usedAt },
      })
      return count > 0
    },

    /** False if the person has no such passkey. */
    async remove(personId: string, id: string): Promise<boolean> {
      return (await tables.passkey.deleteMany({ where: { personId, id } })).count > 0
    },
  }
}

export function challengeRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** False if it was answered before. It is used up whatever becomes of the act that it is for. */
    async answerAcrossTeams(challenge: { digest: string; expiresAt: Date }): Promise<boolean> {
      const { count } = await outsideAct(async () => tables.answeredChallenge.createMany({ data: [challenge], skipDuplicates: true }))
      return count > 0
    },

    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      return (await tables.answeredChallenge.deleteMany({ where: { expiresAt: { lte: now } }, limit: EXPIRED_AT_ONCE })).count
    },
  }
}
