// Programs that may ask people for access. They belong to the installation, not to a team.
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/database.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { type Clock, DAY_MS } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'

export const CLIENT_ORIGINS = ['built_in', 'registered', 'document'] as const
type ClientOrigin = (typeof CLIENT_ORIGINS)[number]

const columns = { id: true, clientId: true, origin: true, name: true, logoUri: true, metadata: true, createdAt: true } as const
export type OAuthClientRow = Prisma.OAuthClientGetPayload<{ select: typeof columns }>

/** `clientId`: what it calls itself. */
export type NewOAuthClient = { clientId: string; name: string; logoUri: string | null; metadata: Prisma.InputJsonObject }

/** Registered clients that no one gave access to. */
export const UNUSED_CLIENTS_MAX = 10_000
/** For as long, a client that was just registered keeps its place although others want it. */
const PLACE_KEPT_MS = DAY_MS
/** Rows that one statement of a sweep removes. */
const SWEPT_AT_ONCE = 500

/** What a client says changes with its document only, which is read anew where people are asked. */
const CACHE_MS = 10_000
const CLIENTS_CACHED_MAX = 1_000

export function oauthClientRepository(
  { tables }: Pick<Database, 'tables'>,
  { clock, unusedMax = UNUSED_CLIENTS_MAX }: { clock: Clock; unusedMax?: number },
) {
  const known = new LRUCache<string, OAuthClientRow>({ max: CLIENTS_CACHED_MAX, ttl: CACHE_MS })

  return {
    /** Finds a client that comes with a token. The row may be a few seconds old. */
    async recall(clientId: string): Promise<OAuthClientRow | null> {
      const cached = known.get(clientId)
      if (cached) return cached
      const client = await this.find(clientId)
      if (client) known.set(clientId, client)
      return client
    },

    find(clientId: string): Promise<OAuthClientRow | null> {
      return tables.oAuthClient.findUnique({ where: { clientId }, select: columns })
    },

    /** Its id is the UUID by which it calls itself. */
    async register({ clientId, name, logoUri, metadata }: NewOAuthClient): Promise<void> {
      const data = { id: clientId, clientId, origin: 'registered' satisfies ClientOrigin, name, logoUri, metadata, createdAt: clock.now() }
      await tables.oAuthClient.create({ data, select: { id: true } })
    },

    /** Remembers what a metadata document says now; its client keeps the id that it got at first. */
    async recordDocument({ clientId, name, logoUri, metadata }: NewOAuthClient): Promise<{ id: string }> {
      const said = { name, logoUri, metadata }
      return tables.oAuthClient.upsert({
        where: { clientId },
        create: { id: createId(clock), clientId, origin: 'document' satisfies ClientOrigin, createdAt: clock.now(), ...said },
        update: said,
        select: { id: true },
      })
    },

    /** Newest first, for operators. */
    listAll(limit: number): Promise<(OAuthClientRow & { grants: number })[]> {
      return tables.oAuthClient
        .findMany({
          select: { ...columns, _count: { select: { grants: { where: { revokedAt: null } } } } },
          orderBy: { createdAt: 'desc' },
          take: limit,
        })
        .then((rows) => rows.map(({ _count, ...row }) => ({ ...row, grants: _count.grants })))
    },

    /** Whether another client may be registered. If there are too many that no one gave access to, the older ones make room. */
    async makeRoom(): Promise<boolean> {
      const where = { origin: 'registered' satisfies ClientOrigin, grants: { none: {} } }
      const unused = await tables.oAuthClient.count({ where, take: unusedMax })
      return unused < unusedMax || (await this.removeAbandoned(new Date(clock.now().getTime() - PLACE_KEPT_MS))) > 0
    },

    /** Removes clients that no one gave access to, a batch at a time; returns how many. */
    async removeAbandoned(before: Date): Promise<number> {
      const where = { createdAt: { lt: before }, origin: { not: 'built_in' satisfies ClientOrigin }, grants: { none: {} } }
      return (await tables.oAuthClient.deleteMany({ where, limit: SWEPT_AT_ONCE })).count
    },
  }
}
