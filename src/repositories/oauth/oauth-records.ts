// What the authorization server remembers for a while, by the digests of its codes and tokens. It crosses teams: a code or token is the credential.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Clock } from '../../lib/clock.ts'
import { digestOf } from '../../lib/tokens.ts'
import type { Database } from '../database.ts'

export type OAuthRecordKey = { kind: string; digest: string }
export type OAuthRecordRow = { payload: Prisma.JsonValue; consumedAt: Date | null; expiresAt: Date }
export type NewOAuthRecord = OAuthRecordKey & { payload: Prisma.InputJsonObject; grantId: string | null; expiresAt: Date }

const INTERACTION = 'Interaction'
/** Rows that one statement of a sweep removes. */
const SWEPT_AT_ONCE = 1_000

export function oauthRecordRepository({ tables }: Pick<Database, 'tables'>, { clock }: { clock: Clock }) {
  return {
    async save({ kind, digest, ...record }: NewOAuthRecord): Promise<void> {
      const where = { kind_digest: { kind, digest } }
      await tables.oAuthRecord.upsert({ where, create: { kind, digest, ...record }, update: record, select: { digest: true } })
    },

    /** Null if there is none, or if it has expired. */
    find({ kind, digest }: OAuthRecordKey): Promise<OAuthRecordRow | null> {
      return tables.oAuthRecord.findFirst({
        where: { kind, digest, expiresAt: { gt: clock.now() } },
        select: { payload: true, consumedAt: true, expiresAt: true },
      })
    },

    /** False if it was used before. If two use it at once, one of them is the first. */
    async consume({ kind, digest }: OAuthRecordKey): Promise<boolean> {
      return (
        (await tables.oAuthRecord.updateMany({ where: { kind, digest, consumedAt: null }, data: { consumedAt: clock.now() } })).count > 0
      )
    },

    /** Says that a person decides now. False if it was decided already, or is decided at this moment. */
    async consumeInteraction(uid: string): Promise<boolean> {
      return this.consume({ kind: INTERACTION, digest: digestOf(uid) })
    },

    /** Takes that back. */
    async releaseInteraction(uid: string): Promise<void> {
      await tables.oAuthRecord.updateMany({ where: { kind: INTERACTION, digest: digestOf(uid) }, data: { consumedAt: null } })
    },

    async remove({ kind, digest }: OAuthRecordKey): Promise<void> {
      await tables.oAuthRecord.deleteMany({ where: { kind, digest } })
    },

    /** Removes what has expired, a batch at a time; returns how many. */
    async removeExpired(now: Date): Promise<number> {
      return (await tables.oAuthRecord.deleteMany({ where: { expiresAt: { lte: now } }, limit: SWEPT_AT_ONCE })).count
    },
  }
}
