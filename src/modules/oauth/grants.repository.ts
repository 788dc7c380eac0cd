// The access that teams have given to programs, and the cache through which every request with a token finds its grant; in SQL where a sweep looks
// for what is not used.
import { LRUCache } from 'lru-cache'
import type { Database, RecordTransaction } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import { lockTeam } from '../../db/transactions.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { upTo } from '../../lib/cache.ts'
import { createCachedLookups } from '../../lib/cached-lookups.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { EndGrants } from '../accounts/api-keys.repository.ts'

export const REVOKED_REASONS = [
  'revoked_from_api',
  'revoked_from_console',
  'revoked_by_operator',
  'revoked_by_client',
  'token_reused',
  'code_reused',
  'keys_deleted',
  'member_removed',
  'unused',
] as const
type RevokedReason = (typeof REVOKED_REASONS)[number]

/** Ends the active grants of `where`: first them, so that none of their codes and refresh tokens can be used again, then those. Returns how many ended. */
async function endGrants(
  { tables }: Pick<RecordTransaction, 'tables'>,
  where: Prisma.OAuthGrantWhereInput & { teamId: string },
  { at, reason }: { at: Date; reason: RevokedReason },
): Promise<number> {
  const ended = await tables.oAuthGrant.updateManyAndReturn({
    where: { ...where, revokedAt: null },
    data: { revokedAt: at, revokedReason: reason },
    select: { id: true },
  })
  if (ended.length > 0) await tables.oAuthRecord.deleteMany({ where: { grantId: { in: ended.map(({ id }) => id) } } })
  return ended.length
}

/** Grants that no person has allowed hang on the keys of their team, the others on the membership of their person. */
export const endGrantsOf: EndGrants = (inside, { teamId, personId, at }) =>
  endGrants(inside, { teamId, personId }, { at, reason: personId === null ? 'keys_deleted' : 'member_removed' })

async function roleOf(
  tables: RecordTransaction['tables'],
  { teamId, personId }: { teamId: string; personId: string | null },
): Promise<string | null> {
  const where = { teamId, personId: personId ?? '' }
  return (await tables.member.findFirst({ where, select: { role: true } }))?.role ?? null
}

const columns = {
  id: true,
  clientId: true,
  personId: true,
  scopes: true,
  resource: true,
  createdAt: true,
  lastUsedAt: true,
  revokedAt: true,
  revokedReason: true,
  client: { select: { name: true, logoUri: true, clientId: true } },
} as const

/** `allowedBy`: null for grants of versions before people. */
export type OAuthGrantRow = Omit<Prisma.OAuthGrantGetPayload<{ select: typeof columns }>, 'personId'> & {
  allowedBy: { id: string; name: string; email: string } | null
}

/** `clientId`: our id of the client, not what it calls itself. */
export type NewOAuthGrant = { personId: string; clientId: string; scopes: string[]; resource: string | null }

/** An active grant, as a token finds it. `name`: what the client calls itself as `client_id`. */
/** `personId`: the person who allowed it, with their `role` in the team now; both are null for grants of versions before people. */
export type ActiveGrant = {
  id: string
  teamId: string
  personId: string | null
  role: string | null
  clientId: string
  scopes: string[]
  resource: string | null
  createdAt: Date
}

/** A revocation in another process is noticed within this time. */
const CACHE_MS = 1_000
const GRANTS_CACHED_MAX = 10_000
const USE_WRITTEN_EVERY_MS = 60_000
/** Rows that one statement of a sweep changes. */
const SWEPT_AT_ONCE = 500

export function oauthGrantRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  { clock }: { clock: Clock },
) {
  const active = createCachedLookups<ActiveGrant | null>({ entriesMax: GRANTS_CACHED_MAX, lifetimeMs: CACHE_MS })
  const used = new LRUCache<string, true>({ ...upTo(GRANTS_CACHED_MAX), ttl: USE_WRITTEN_EVERY_MS })

  async function findActive(id: string): Promise<ActiveGrant | null> {
    const row = await tables.oAuthGrant.findFirst({
      where: { id, revokedAt: null },
      select: {
        id: true,
        teamId: true,
        personId: true,
        scopes: true,
        resource: true,
        createdAt: true,
        client: { select: { clientId: true } },
      },
    })
    if (!row) return null
    const { client, ...grant } = row
    // Who has left the team has left the program without access, too.
    const member = grant.personId === null ? null : await roleOf(tables, grant)
    if (grant.personId !== null && member === null) return null
    return { ...grant, clientId: client.clientId, role: member }
  }

  async function withPeople(rows: Prisma.OAuthGrantGetPayload<{ select: typeof columns }>[]): Promise<OAuthGrantRow[]> {
    const ids = [...new Set(rows.flatMap(({ personId }) => personId ?? []))]
    const where = { id: { in: ids } }
    const people = ids.length === 0 ? [] : await tables.person.findMany({ where, select: { id: true, name: true, email: true } })
    return rows.map(({ personId, ...row }) => ({ ...row, allowedBy: people.find(({ id }) => id === personId) ?? null }))
  }

  return {
    /** Forgets grants that this repository did not end. */
    forget: active.forgetAll,

    /** `too many grants`: the team has `grantsMax` that are active. */
    create(
      teamId: string,
      { personId, clientId, scopes, resource }: NewOAuthGrant,
      grantsMax: number,
    ): Promise<{ id: string } | 'too many grants'> {
      return records(async ({ tables: inside, execute: executeInside }) => {
        await lockTeam(executeInside, teamId)
        if ((await inside.oAuthGrant.count({ where: { teamId, revokedAt: null } })) >= grantsMax) return 'too many grants'
        const data = { id: createId(clock), teamId, personId, clientId, scopes, resource, createdAt: clock.now() }
        return inside.oAuthGrant.create({ data, select: { id: true } })
      })
    },

    /** The newest active grant of a client with exactly these scopes and this resource. */
    findLike(teamId: string, { personId, clientId, scopes, resource }: NewOAuthGrant): Promise<{ id: string } | null> {
      return tables.oAuthGrant.findFirst({
        where: { teamId, personId, clientId, resource, scopes: { equals: scopes }, revokedAt: null },
        select: { id: true },
        orderBy: { id: 'desc' },
      })
    },

    list(teamId: string, request: PageRequest): Promise<Page<OAuthGrantRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        withPeople(await tables.oAuthGrant.findMany({ where: { teamId, ...where }, select: columns, ...rest })),
      )
    },

    async find(teamId: string, id: string): Promise<OAuthGrantRow | null> {
      const row = await tables.oAuthGrant.findFirst({ where: { teamId, id }, select: columns })
      return (row && (await withPeople([row]))[0]) ?? null
    },

    /** Ends the access, with every code and refresh token. Returns when; null if the team has no such active grant. */
    async revoke(teamId: string, id: string, reason: RevokedReason): Promise<Date | null> {
      const revokedAt = clock.now()
      const isRevoked = await records(async (inside) => (await endGrants(inside, { teamId, id }, { at: revokedAt, reason })) > 0)
      active.forgetAll()
      return isRevoked ? revokedAt : null
    },

    /** Revokes by the id alone, for the authorization server, to which a code or token has proved the grant, and for operators. */
    async revokeAcrossTeams(id: string, reason: RevokedReason): Promise<boolean> {
      const grant = await findActive(id)
      return grant !== null && (await this.revoke(grant.teamId, id, reason)) !== null
    },

    /** An active grant, not cached: what the authorization server decides with. */
    findActiveAcrossTeams: findActive,

    /** An active grant, at most a second old. For authentication only: it crosses teams. */
    recognizeAcrossTeams: (id: string): Promise<ActiveGrant | null> => active.find(id, () => findActive(id)),

    /** Whether a use must be recorded: at most once a minute for each grant. */
    async recordUse(teamId: string, id: string): Promise<void> {
      if (used.has(id)) return
      used.set(id, true)
      await tables.oAuthGrant.updateMany({ where: { teamId, id }, data: { lastUsedAt: clock.now() } })
    },

    /** Ends grants without a token that could still be used, a batch at a time; returns how many. */
    async endUnusedAcrossTeams(before: Date): Promise<number> {
      const rows = await execute(
        `update oauth_grants set revoked_at = $2, revoked_reason = 'unused' where id = any(array(
           select g.id from oauth_grants g where g.revoked_at is null and coalesce(g.last_used_at, g.created_at) < $1
              and not exists (select from oauth_records r where r.grant_id = g.id and r.consumed_at is null and r.expires_at > $2)
            limit ${SWEPT_AT_ONCE})) returning id`,
        [before, clock.now()],
      )
      if (rows.length > 0) active.forgetAll()
      return rows.length
    },

    /** Removes grants that ended long ago, a batch at a time; returns how many. */
    async removeRevokedAcrossTeams(before: Date): Promise<number> {
      return (await tables.oAuthGrant.deleteMany({ where: { revokedAt: { lt: before } }, limit: SWEPT_AT_ONCE })).count
    },
  }
}
