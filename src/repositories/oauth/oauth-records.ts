// What the authorization server remembers for a while, by the digests of its codes and tokens. It crosses teams: a code or token is the credential.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Clock } from '../../lib/clock.ts'
import { digestOf } from '../../lib/tokens.ts'
import type { Database } from '../database.ts'
import { lockGrantAcrossTeams } from '../locks.ts'

export type OAuthRecordKey = { kind: string; digest: string }
export type OAuthRecordRow = { payload: Prisma.JsonValue; consumedAt: Date | null; expiresAt: Date }
export type NewOAuthRecord = OAuthRecordKey & { payload: Prisma.InputJsonObject; grantId: string | null; expiresAt: Date }

/** What the payload of a refresh token says besides: the digest of the one for which it was given, and how often it was used. */
export type RefreshTokenUse = { follows?: string; uses?: number }

const INTERACTION = 'Interaction'
const REFRESH_TOKEN = 'RefreshToken'
const DECIDING_MS_MAX = 60_000
/** Rows that one statement of a sweep removes. */
const SWEPT_AT_ONCE = 1_000

export function oauthRecordRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
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

    /**
     * Uses a refresh token. A used one is taken again for `graceMs`, at most `usesMax` times in all, and only while no token that followed it was used;
     * of those that follow one token, only the first that is used is taken. So no two chains grow from it, also if all come at once.
     */
    useRefreshToken(digest: string, { graceMs, usesMax }: { graceMs: number; usesMax: number }): Promise<boolean> {
      return records(async ({ tables: inside, execute }) => {
        const key = { kind_digest: { kind: REFRESH_TOKEN, digest } }
        const { grantId } = (await inside.oAuthRecord.findUnique({ where: key, select: { grantId: true } })) ?? {}
        if (!grantId || !(await lockGrantAcrossTeams(execute, grantId))) return false
        const record = await inside.oAuthRecord.findUnique({ where: key, select: { payload: true, consumedAt: true } })
        if (!record) return false
        const { follows, uses = 0 } = record.payload as RefreshTokenUse
        const now = clock.now()
        const { consumedAt } = record
        if (uses >= usesMax || (consumedAt !== null && now.getTime() - consumedAt.getTime() >= graceMs)) return false
        // Its own successors; before its first use, also what else was given for the token before it.
        const rivals = consumedAt === null ? follows : digest
        if (rivals !== undefined) {
          const where = { grantId, kind: REFRESH_TOKEN, consumedAt: { not: null }, payload: { path: ['follows'], equals: rivals } }
          if ((await inside.oAuthRecord.count({ where })) > 0) return false
        }
        const payload = { ...(record.payload as Prisma.InputJsonObject), uses: uses + 1 }
        await inside.oAuthRecord.update({ where: key, data: { payload, consumedAt: consumedAt ?? now }, select: { digest: true } })
        return true
      })
    },

    /**
     * Says that a person decides now. False if it was decided already, or is decided at this moment. A decision that did not come to its end, nor
     * was taken back, holds it for a minute.
     */
    async consumeInteraction(uid: string): Promise<boolean> {
      const now = clock.now()
      const undecided = [{ consumedAt: null }, { consumedAt: { lt: new Date(now.getTime() - DECIDING_MS_MAX) } }]
      const where = { kind: INTERACTION, digest: digestOf(uid), OR: undecided }
      return (await tables.oAuthRecord.updateMany({ where, data: { consumedAt: now } })).count > 0
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
