// Keys, and the small cache through which every request finds its own.
import { LRUCache } from 'lru-cache'
import type { Database, Execute, RecordTransaction } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import { lockTeam } from '../../db/transactions.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Caller, Permission } from '../../http/operation.ts'
import { upTo } from '../../lib/cache.ts'
import { createCachedLookups } from '../../lib/cached-lookups.ts'
import { type Clock, HOUR_MS } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { createWriteBehind } from '../../lib/write-behind.ts'
import { FULL_ACCESS } from './scopes.ts'

// When keys were last used; in SQL, because many keys are written at once, and no time moves back.

export type LastUse = { id: string; at: Date }

export async function writeLastUses(execute: Execute, uses: LastUse[]): Promise<void> {
  await execute(
    `update api_keys k set last_used_at = u.at from unnest($1::uuid[], $2::timestamptz[]) as u(id, at)
      where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`,
    [uses.map(({ id }) => id), uses.map(({ at }) => at)],
  )
}

export type ApiKeyRow = Prisma.ApiKeyGetPayload<{ select: typeof columns }>

/** Only the digest of its token is known. `grantId`: of the program that makes it. `personId`: who makes it, or allowed the program. */
type NewApiKey = {
  name: string
  permission: Permission
  digest: string
  domainId?: string | null
  grantId?: string | null
  personId?: string | null
}

const columns = {
  id: true,
  name: true,
  permission: true,
  domainId: true,
  grantId: true,
  personId: true,
  createdAt: true,
  lastUsedAt: true,
} as const
const holderColumns = { id: true, teamId: true, permission: true, domainId: true } as const

/** A deletion in another process is noticed within this time. */
const CACHE_MS = 1_000
const KNOWN_KEYS_MAX = 10_000
/** A key that was valid within this time gets a statement of its own. */
const CLAIM_MS = HOUR_MS
const LAST_USE_WRITTEN_EVERY_MS = 5_000
const KEYS_NAMED_MAX = 100

/**
 * Ends the access to a team that this person has allowed, in the transaction that ends their membership; null: what no person has allowed, in the one
 * that deletes the last key. Returns how many grants ended.
 */
export type EndGrants = (
  inside: Pick<RecordTransaction, 'tables'>,
  ended: { teamId: string; personId: string | null; at: Date },
) => Promise<number>

export function apiKeyRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  {
    clock,
    onLost,
    endGrants,
    onGrantsEnded,
  }: { clock: Clock; onLost: (count: number, reason: unknown) => void; endGrants: EndGrants; onGrantsEnded: () => void },
) {
  const claims = new LRUCache<string, true>({ ...upTo(KNOWN_KEYS_MAX), ttl: CLAIM_MS })
  const holders = createCachedLookups<Caller | null>({
    entriesMax: KNOWN_KEYS_MAX,
    lifetimeMs: CACHE_MS,
    // That there is no such key is not remembered: it may be created in a moment, in another process too.
    isKept: (holder) => holder !== null,
    onAnswer(digest, holder, isKnown) {
      if (!holder) claims.delete(digest)
      else if (isKnown) claims.set(digest, true)
    },
  })

  const lastUses = createWriteBehind<LastUse>({
    everyMs: LAST_USE_WRITTEN_EVERY_MS,
    batchItemsMax: 1_000,
    waitingItemsMax: KNOWN_KEYS_MAX,
    waitingBytesMax: Number.POSITIVE_INFINITY,
    onLost,
    async write(uses) {
      await writeLastUses(execute, uses)
    },
  })
  const recentlyUsed = new LRUCache<string, true>({ ...upTo(KNOWN_KEYS_MAX), ttl: LAST_USE_WRITTEN_EVERY_MS })

  async function lookUp(digest: string): Promise<Caller | null> {
    const row = await tables.apiKey.findUnique({ where: { digest }, select: holderColumns })
    return row && toHolder(row)
  }

  const newRow = (teamId: string, { domainId = null, grantId = null, personId = null, ...key }: NewApiKey & { id: string }) => ({
    ...key,
    teamId,
    domainId,
    grantId,
    personId,
    createdAt: clock.now(),
  })

  return {
    /** The holder of the key with this digest. One that another process deleted has it for up to a second. For authentication only: it crosses teams. */
    recognizeAcrossTeams: (digest: string): Promise<Caller | null> => holders.find(digest, () => lookUp(digest)),

    /** Finds many keys in one statement. Returns the ones that exist. */
    async recognizeManyAcrossTeams(digests: string[]): Promise<Map<string, Caller>> {
      const remember = holders.begin()
      const rows = await tables.apiKey.findMany({
        where: { digest: { in: digests } },
        select: { ...holderColumns, digest: true },
      })
      const found = new Map(rows.map((row) => [row.digest, toHolder(row)]))
      for (const digest of digests) remember(digest, found.get(digest) ?? null)
      return found
    },

    /** Looks in memory only: undefined if the database would have to be asked. */
    rememberedAcrossTeams: (digest: string): Caller | undefined => holders.known(digest) ?? undefined,

    /** Whether it was a key within the last hour. That does not say that it is one now, only that looking it up is no guess. */
    wasValidAcrossTeams: (digest: string): boolean => claims.has(digest),

    /** Whether the installation has any key. Without one, no one can use it. */
    async existAcrossTeams(): Promise<boolean> {
      return (await tables.apiKey.findFirst({ select: { id: true } })) !== null
    },

    /** Remembers that a key was used; written in batches. */
    used(apiKeyId: string): void {
      if (recentlyUsed.has(apiKeyId)) return
      recentlyUsed.set(apiKeyId, true)
      lastUses.add({ id: apiKeyId, at: clock.now() })
    },

    async create(teamId: string, key: NewApiKey): Promise<{ id: string }> {
      return tables.apiKey.create({ data: newRow(teamId, { ...key, id: createId(clock) }), select: { id: true } })
    },

    /** Makes a key unless one with this digest exists already. */
    async ensure(teamId: string, { name, permission, digest }: NewApiKey): Promise<void> {
      const data = [{ id: createId(clock), teamId, name, permission, digest, createdAt: clock.now() }]
      await tables.apiKey.createMany({ data, skipDuplicates: true })
    },

    list(teamId: string, request: PageRequest): Promise<Page<ApiKeyRow>> {
      return readPage(request, ({ where, ...rest }) => tables.apiKey.findMany({ where: { teamId, ...where }, select: columns, ...rest }))
    },

    find(teamId: string, id: string): Promise<ApiKeyRow | null> {
      return tables.apiKey.findFirst({ where: { teamId, id }, select: columns })
    },

    /** The names of those that exist, by their ids. */
    async namesOf(teamId: string, ids: string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map()
      const rows = await tables.apiKey.findMany({ where: { teamId, id: { in: ids } }, select: { id: true, name: true } })
      return new Map(rows.map(({ id, name }) => [id, name]))
    },

    /** The person who made a key, by themselves or by another key of theirs; null: no person did. */
    async makerOf(teamId: string, id: string): Promise<string | null> {
      return (await tables.apiKey.findFirst({ where: { teamId, id }, select: { personId: true } }))?.personId ?? null
    },

    /** The newest keys that a person made, so many at most. */
    madeByPerson(teamId: string, personId: string): Promise<{ id: string; name: string }[]> {
      return tables.apiKey.findMany({
        where: { teamId, personId },
        select: { id: true, name: true },
        orderBy: { id: 'desc' },
        take: KEYS_NAMED_MAX,
      })
    },

    /** Null if the team has no such key. */
    async rename(teamId: string, id: string, name: string): Promise<{ id: string } | null> {
      const [renamed] = await tables.apiKey.updateManyAndReturn({ where: { teamId, id }, data: { name }, select: { id: true } })
      return renamed ?? null
    },

    /** Null if the team has no such key. With the last key that has full access, no one is left who could end what the team has allowed: it ends. */
    async deleteApiKey(teamId: string, id: string): Promise<{ id: string } | null> {
      const removed = await records(async ({ tables: inside, execute: executeInside }) => {
        // Two that are removed at once take turns, so that one of them is the last.
        await lockTeam(executeInside, teamId)
        const key = await inside.apiKey.findFirst({ where: { teamId, id }, select: { id: true, digest: true, permission: true } })
        if (!key) return null
        await inside.apiKey.deleteMany({ where: { teamId, id } })
        const isLast = key.permission === FULL_ACCESS && (await inside.apiKey.count({ where: { teamId, permission: FULL_ACCESS } })) === 0
        const ended = isLast ? await endGrants({ tables: inside }, { teamId, personId: null, at: clock.now() }) : 0
        return { ...key, ended }
      })
      if (!removed) return null
      holders.forget(removed.digest)
      claims.delete(removed.digest)
      if (removed.ended > 0) onGrantsEnded()
      return { id: removed.id }
    },

    flush: () => lastUses.flush(),
  }
}

const toHolder = ({
  id,
  teamId,
  permission,
  domainId,
}: Pick<ApiKeyRow, 'id' | 'permission' | 'domainId'> & { teamId: string }): Caller => ({
  teamId,
  apiKeyId: id,
  domainId,
  permission: permissionOf({ permission }),
})

export const permissionOf = ({ permission }: Pick<ApiKeyRow, 'permission'>): Permission =>
  permission === FULL_ACCESS ? 'full_access' : 'sending_access'
