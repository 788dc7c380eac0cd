// Codes that were mailed to people, who confirm with them that it is them. A person has one at a time, of which only a digest is kept.
import { outsideAct } from '../../../db/acts.ts'
import type { Database } from '../../../db/database.ts'
import { EXPIRED_AT_ONCE } from './sessions.repository.ts'

export type ConfirmationCode = { digest: string; tries: number; expiresAt: Date }

export function confirmationRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Replaces the code that the person had. */
    async setAcrossTeams(personId: string, code: ConfirmationCode): Promise<void> {
      await tables.confirmationCode.upsert({ where: { personId }, create: { personId, ...code }, update: code, select: { personId: true } })
    },

    /** Uses up one of the tries before the code is compared. Null if there is no code, or none that may be tried again. */
    async tryAcrossTeams(personId: string, now: Date): Promise<ConfirmationCode | null> {
      const [found] = await outsideAct(() =>
        tables.confirmationCode.updateManyAndReturn({
          where: { personId, tries: { gt: 0 }, expiresAt: { gt: now } },
          data: { tries: { decrement: 1 } },
          select: { digest: true, tries: true, expiresAt: true },
        }),
      )
      return found ?? null
    },

    /** False if another request used it first. */
    async takeAcrossTeams(personId: string, digest: string): Promise<boolean> {
      return (await tables.confirmationCode.deleteMany({ where: { personId, digest } })).count > 0
    },

    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      return (await tables.confirmationCode.deleteMany({ where: { expiresAt: { lte: now } }, limit: EXPIRED_AT_ONCE })).count
    },
  }
}
