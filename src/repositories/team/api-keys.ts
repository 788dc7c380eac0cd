// Keys, and the small cache through which every request finds its own.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { createSharedLookups } from '../../lib/shared-lookups.ts'
import { createWriteBehind } from '../../lib/write-behind.ts'
import type { Database } from '../database.ts'
import { lockTeam } from '../locks.ts'
import { type Page, readPage } from '../page.ts'
import { useForm } from '../used-forms.ts'
import { endGrants } from './ended-grants.ts'
import { type LastUse, writeLastUses } from './last-uses.ts'

export type Permission = 'full_access' | 'sending_access'
export type KeyHolder = {
  teamId: string
  /** The id of the key, or of the grant if the request has an access token. */
  apiKeyId: string
  permission: Permission
  /** The only domain that it may send from, which may have been deleted. Null: it is not restricted. */
  domainId: string | null
  /** Absent for a key. */
  grant?: { id: string; scopes: string[] }
}
export type ApiKeyRow = { id: string; name: string; permission: string; domainId: string | null; createdAt: Date; lastUsedAt: Date | null }

/** Only the digest of its token is known. */
/** `grantId`: of the program that makes it. */
type NewApiKey = { name: string; permission: Permission; digest: string; domainId?: string | null; grantId?: string | null }

const columns = { id: true, name: true, permission: true, domainId: true, createdAt: true, lastUsedAt: true } as const
const holderColumns = { id: true, teamId: true, permission: true, domainId: true } as const

/** A deletion in another process is noticed within this time. */
const CACHE_MS = 1_000
const KNOWN_KEYS_MAX = 10_000
/** A key that was valid within this time gets a statement of its own. */
const CLAIM_MS = 60 * 60 * 1_000
const LAST_USE_WRITTEN_EVERY_MS = 5_000
const FULL_ACCESS: Permission = 'full_access'

export function apiKeyRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  { clock, onLost, onGrantsEnded }: { clock: Clock; onLost: (count: number, reason: unknown) => void; onGrantsEnded: () => void },
) {
  const known = new LRUCache<string, KeyHolder>({ max: KNOWN_KEYS_MAX, ttl: CACHE_MS })
  const claims = new LRUCache<string, true>({ max: KNOWN_KEYS_MAX, ttl: CLAIM_MS })
  const lookups = createSharedLookups<KeyHolder | null>((holder) => holder !== null)
  // Raised by every deletion, because a lookup that began before it must not put its key back.
  let generation = 0

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
  const recentlyUsed = new LRUCache<string, true>({ max: KNOWN_KEYS_MAX, ttl: LAST_USE_WRITTEN_EVERY_MS })

  async function lookUp(digest: string): Promise<KeyHolder | null> {
    const began = generation
    const row = await tables.apiKey.findUnique({ where: { digest }, select: holderColumns })
    const holder = row && holderOf(row)
    remember(digest, holder, began)
    return holder
  }

  function remember(digest: string, holder: KeyHolder | null, began: number): void {
    // That there is no such key is not remembered: it may be created in a moment, in another process too.
    if (!holder) claims.delete(digest)
    else if (began === generation) {
      known.set(digest, holder)
      claims.set(digest, true)
    }
  }

  function forget(digest: string): void {
    generation += 1
    known.delete(digest)
    claims.delete(digest)
    lookups.forget(digest)
  }

  const newRow = (teamId: string, { domainId = null, grantId = null, ...key }: NewApiKey & { id: string }) => ({
    ...key,
    teamId,
    domainId,
    grantId,
    createdAt: clock.now(),
  })

  return {
    /** The holder of the key with this digest. One that another process deleted has it for up to a second. For authentication only: it crosses teams. */
    async recognizeAcrossTeams(digest: string): Promise<KeyHolder | null> {
      return known.get(digest) ?? lookups.find(digest, () => lookUp(digest))
    },

    /** Finds many keys in one statement. Returns the ones that exist. */
    async recognizeManyAcrossTeams(digests: string[]): Promise<Map<string, KeyHolder>> {
      const began = generation
      const rows = await tables.apiKey.findMany({
        where: { digest: { in: digests } },
        select: { ...holderColumns, digest: true },
      })
      const holders = new Map(rows.map((row) => [row.digest, holderOf(row)]))
      for (const digest of digests) remember(digest, holders.get(digest) ?? null, began)
      return holders
    },

    /** Looks in memory only: undefined if the database would have to be asked. */
    rememberedAcrossTeams: (digest: string): KeyHolder | undefined => known.get(digest),

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

    /** Creates a key with an id that was chosen before. False if the id was used, by this team or another, even if that key was deleted. */
    async createOnce(teamId: string, key: NewApiKey & { id: string }): Promise<boolean> {
      return records(async ({ tables: inside }) => {
        if (!(await useForm({ tables: inside }, { id: key.id, teamId, usedAt: clock.now() }))) return false
        return (await inside.apiKey.createMany({ data: [newRow(teamId, key)], skipDuplicates: true })).count > 0
      })
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

    /** Whether no other key of the team has full access. */
    async isLastWithFullAccess(teamId: string, id: string): Promise<boolean> {
      const others = { teamId, id: { not: id }, permission: 'full_access' }
      return (await tables.apiKey.findFirst({ where: others, select: { id: true } })) === null
    },

    /** The newest keys that programs with these grants made, so many at most. */
    madeWith(teamId: string, grantIds: string[], limit: number): Promise<{ id: string; name: string; grantId: string | null }[]> {
      const where = { teamId, grantId: { in: grantIds } }
      return tables.apiKey.findMany({ where, select: { id: true, name: true, grantId: true }, orderBy: { id: 'desc' }, take: limit })
    },

    /**
     * The newest with full access, for a session that no key began: the least likely to be revoked soon. One that a program made is the last resort,
     * because it may be deleted together with what that program did.
     */
    async newestWithFullAccess(teamId: string): Promise<ApiKeyRow | null> {
      const newest = (made: { grantId?: null }): Promise<ApiKeyRow | null> =>
        tables.apiKey.findFirst({ where: { teamId, permission: FULL_ACCESS, ...made }, select: columns, orderBy: { id: 'desc' } })
      return (await newest({ grantId: null })) ?? newest({})
    },

    /** False if the team has no such key. */
    async rename(teamId: string, id: string, name: string): Promise<boolean> {
      const { count } = await tables.apiKey.updateMany({ where: { teamId, id }, data: { name } })
      return count > 0
    },

    /** False if the team has no such key. With the last key that has full access, no one is left who could end what the team has allowed: it ends. */
    async remove(teamId: string, id: string): Promise<boolean> {
      const removed = await records(async ({ tables: inside, execute: executeInside }) => {
        // Two that are removed at once take turns, so that one of them is the last.
        await lockTeam(executeInside, teamId)
        const key = await inside.apiKey.findFirst({ where: { teamId, id }, select: { digest: true, permission: true } })
        if (!key) return null
        await inside.apiKey.deleteMany({ where: { teamId, id } })
        const isLast = key.permission === FULL_ACCESS && (await inside.apiKey.count({ where: { teamId, permission: FULL_ACCESS } })) === 0
        const ended = isLast ? await endGrants({ tables: inside }, { teamId }, { at: clock.now(), reason: 'keys_deleted' }) : 0
        return { digest: key.digest, ended }
      })
      if (!removed) return false
      forget(removed.digest)
      if (removed.ended > 0) onGrantsEnded()
      return true
    },

    flush: () => lastUses.flush(),
  }
}

const holderOf = ({
  id,
  teamId,
  permission,
  domainId,
}: Pick<ApiKeyRow, 'id' | 'permission' | 'domainId'> & { teamId: string }): KeyHolder => ({
  teamId,
  apiKeyId: id,
  domainId,
  permission: permission === 'full_access' ? 'full_access' : 'sending_access',
})
