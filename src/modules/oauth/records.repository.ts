// What the authorization server remembers for a while, by the digests of its codes and tokens; in SQL what each exchange of a token runs, and what is
// decided and written at once. It crosses teams: a code or token is the credential.

import { type Database, statement } from '../../db/database.ts'
import { lockGrantAcrossTeams } from '../../db/transactions.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Clock } from '../../lib/clock.ts'
import { digestToken } from '../../lib/ids.ts'

export type OAuthRecordKey = { kind: string; digest: string }
export type OAuthRecordRow = { payload: Prisma.JsonValue; consumedAt: Date | null; expiresAt: Date }
export type NewOAuthRecord = OAuthRecordKey & { payload: Prisma.InputJsonObject; grantId: string | null; expiresAt: Date }

/**
 * What the payload of a refresh token says besides: the digest of the one for which it was given, how many came before it, how often it was used,
 * and the digest of the one that followed it and was used.
 */
export type RefreshTokenUse = { follows?: string; turn?: number; uses?: number; heir?: string }

const INTERACTION = 'Interaction'
const REFRESH_TOKEN = 'RefreshToken'
const USER_CODE = 'UserCode'
const DECIDING_MS_MAX = 60_000
/** Open requests for access of the whole installation: about 100 MB. */
export const INTERACTIONS_MAX = 100_000
const INTERACTIONS_COUNTED_EVERY_MS = 5_000
/** The limit of one grant: about ten days of a program that refreshes its token every quarter of an hour. */
export const REFRESH_TOKENS_KEPT = 1_000
export const CODES_KEPT = 10
/** A chain of refresh tokens is shortened each time that it has grown by so many. */
const SHORTENED_EVERY = 100
/** Rows that one statement of a sweep removes. */
const SWEPT_AT_ONCE = 1_000

type Options = { clock: Clock; interactionsMax?: number }

export function oauthRecordRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { clock, interactionsMax = INTERACTIONS_MAX }: Options,
) {
  let counted: { atMs: number; areTooMany: boolean } | undefined

  return {
    async save({ kind, digest, payload, grantId, expiresAt }: NewOAuthRecord): Promise<void> {
      await execute(SAVE, [kind, digest, JSON.stringify(payload), grantId, expiresAt])
      if (kind === 'AuthorizationCode' && grantId !== null) {
        await execute(KEEP_NEWEST, [grantId, kind, CODES_KEPT])
        await execute(KEEP_NEWEST, [grantId, REFRESH_TOKEN, REFRESH_TOKENS_KEPT])
      }
    },

    /** Null if there is none, or if it has expired. */
    async find({ kind, digest }: OAuthRecordKey): Promise<OAuthRecordRow | null> {
      const [row] = await execute<OAuthRecordRow>(FIND, [kind, digest, clock.now()])
      return row ?? null
    },

    /** False if it was used before. If two use it at once, one of them is the first. */
    async consume({ kind, digest }: OAuthRecordKey): Promise<boolean> {
      return (
        (await tables.oAuthRecord.updateMany({ where: { kind, digest, consumedAt: null }, data: { consumedAt: clock.now() } })).count > 0
      )
    },

    /**
     * Uses a refresh token. A used one is taken again for `graceMs`, at most `usesMax` times in all, and only while no token that followed it was used;
     * of those that follow one token, only the first that is used is taken. So no two chains grow from it, also if all come at once. Returns how many
     * came before it in its chain; null if it is not taken.
     */
    useRefreshToken(digest: string, { graceMs, usesMax }: { graceMs: number; usesMax: number }): Promise<number | null> {
      return transaction(async (inside) => {
        // What is decided here is decided under the lock of its grant.
        const grantId = await lockGrantAcrossTeams(inside, { kind: REFRESH_TOKEN, digest })
        if (grantId === null) return null
        const now = clock.now()
        const [used] = await inside<{ turn: number }>(USE, [digest, now, new Date(now.getTime() - graceMs), usesMax])
        if (!used) return null
        if (used.turn % SHORTENED_EVERY === SHORTENED_EVERY - 1) await inside(KEEP_NEWEST, [grantId, REFRESH_TOKEN, REFRESH_TOKENS_KEPT])
        return used.turn
      })
    },

    /** The code that a person types, in capitals, leads to the request of a command line. Only its digest is kept. */
    async saveUserCode({ userCode, device, expiresAt }: { userCode: string; device: string; expiresAt: Date }): Promise<void> {
      await execute(SAVE, [USER_CODE, digestToken(userCode), JSON.stringify({ device }), null, expiresAt])
    },

    /** Null unless the request is open. */
    async findDevice(userCode: string): Promise<{ digest: string; payload: Prisma.JsonValue } | null> {
      const [row] = await execute<{ digest: string; payload: Prisma.JsonValue }>(FIND_DEVICE, [digestToken(userCode), clock.now()])
      return row ?? null
    },

    /** Says what a person has decided. False if someone has decided it already, or if it has expired. */
    async decideDevice(digest: string, decided: Prisma.InputJsonObject, grantId: string | null): Promise<boolean> {
      return (await execute(DECIDE_DEVICE, [digest, clock.now(), JSON.stringify(decided), grantId])).length > 0
    },

    /** Whether so many requests for access are open that no more are taken. Counted every few seconds. */
    async areTooManyAsked(): Promise<boolean> {
      const nowMs = clock.monotonicMs()
      if (counted === undefined || nowMs - counted.atMs >= INTERACTIONS_COUNTED_EVERY_MS) {
        const open = await tables.oAuthRecord.count({ where: { kind: INTERACTION, expiresAt: { gt: clock.now() } }, take: interactionsMax })
        counted = { atMs: nowMs, areTooMany: open >= interactionsMax }
      }
      return counted.areTooMany
    },

    /**
     * Says that a person decides now. False if it was decided already, or is decided at this moment. A decision that did not come to its end, nor
     * was taken back, holds it for a minute.
     */
    async consumeInteraction(uid: string): Promise<boolean> {
      const now = clock.now()
      const undecided = [{ consumedAt: null }, { consumedAt: { lt: new Date(now.getTime() - DECIDING_MS_MAX) } }]
      const where = { kind: INTERACTION, digest: digestToken(uid), OR: undecided }
      return (await tables.oAuthRecord.updateMany({ where, data: { consumedAt: now } })).count > 0
    },

    /** Takes that back. */
    async releaseInteraction(uid: string): Promise<void> {
      await tables.oAuthRecord.updateMany({ where: { kind: INTERACTION, digest: digestToken(uid) }, data: { consumedAt: null } })
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

const SAVE = statement(
  'save_oauth_record',
  `insert into oauth_records (kind, digest, payload, grant_id, expires_at) values ($1, $2, $3, $4, $5)
   on conflict (kind, digest) do update set payload = excluded.payload, grant_id = excluded.grant_id, expires_at = excluded.expires_at`,
)

const FIND = statement(
  'find_oauth_record',
  `select payload, consumed_at as "consumedAt", expires_at as "expiresAt" from oauth_records where kind = $1 and digest = $2 and expires_at > $3`,
)

const FIND_DEVICE = statement(
  'find_oauth_device',
  `select d.digest, d.payload from oauth_records u join oauth_records d on d.kind = 'DeviceCode' and d.digest = u.payload->>'device'
    where u.kind = 'UserCode' and u.digest = $1 and d.expires_at > $2 and not d.payload ?| '{accountId,error}'`,
)

const DECIDE_DEVICE = statement(
  'decide_oauth_device',
  `update oauth_records set payload = payload || $3::jsonb, grant_id = $4
    where kind = 'DeviceCode' and digest = $1 and expires_at > $2 and not payload ?| '{accountId,error}' returning digest`,
)

/** A first use is that of the heir of the token before it, if that one is still known. */
const USE = statement(
  'use_refresh_token',
  `with used as (
     update oauth_records r
        set consumed_at = coalesce(consumed_at, $2), payload = payload || jsonb_build_object('uses', coalesce((payload->>'uses')::int, 0) + 1)
      where kind = 'RefreshToken' and digest = $1 and coalesce((payload->>'uses')::int, 0) < $4 and case
              when consumed_at is not null then consumed_at > $3 and not payload ? 'heir'
              else not exists (select from oauth_records p
                                where p.kind = 'RefreshToken' and p.digest = r.payload->>'follows' and p.payload->>'heir' <> $1) end
      returning payload->>'follows' as follows, coalesce((payload->>'turn')::int, 0) as turn
   ), named as (
     update oauth_records p set payload = payload || jsonb_build_object('heir', $1::text)
       from used where p.kind = 'RefreshToken' and p.digest = used.follows
   )
   select turn from used`,
)

/** Unused tokens are newer than used ones. */
const KEEP_NEWEST = statement(
  'keep_newest_oauth_records',
  `delete from oauth_records where grant_id = $1 and kind = $2 and digest in (
     select digest from oauth_records where grant_id = $1 and kind = $2 order by consumed_at desc nulls first, expires_at desc offset $3)`,
)
