import { oneOf, stored } from '../../../db/columns.ts'
import type { Database } from '../../../db/database.ts'
import { acceptOne, type Idempotency } from '../../../db/idempotent-requests.ts'
import { readPage } from '../../../db/page.ts'
import { lockTeams } from '../../../db/transactions.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { createCachedLookups } from '../../../lib/cached-lookups.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId, LOWEST_ID } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import type { TeamValues } from '../../../mail/rendering/team-placeholders.ts'
import { imagePath } from '../../images/image-addresses.ts'
import { IMAGE_TYPES } from '../../images/processing/image-headers.ts'
import { GUARD_MODES, type GuardMode, REPUTATION_STATUSES } from '../../limits/reputation.schema.ts'
import type { Reputation } from '../../limits/reputation-evaluation.ts'
import type { RemovedCounts, TeamState } from './team-states.ts'

export type TeamRow = TeamState & {
  id: string
  name: string
  /** As `#rrggbb`, in lower case; null: the colors of the house. */
  color: string | null
  /** An image of the team, which may have been deleted since; null if it has no logo. */
  logoId: string | null
  createdAt: Date
  suppressesSoftBounces: boolean
  /** When the removal of its records began: it can no longer be restored. */
  removingSince: Date | null
  /** Null unless it is deleted. */
  removes: RemovedCounts | null
  /** How far the guard of reputations goes with it, unless GUARD says it for all. */
  guard: GuardMode
  reputation: Pick<Reputation, 'status' | 'since' | 'reason'> | null
}
export type TeamChange = {
  name?: string
  color?: string | null
  logoId?: string | null
  suppressesSoftBounces?: boolean
  guard?: GuardMode
}
type FirstKey = { name: string; permission: 'full_access'; digest: string }

/** How a team shows itself on its public pages, and in what it sends. */
export type BrandRow = Pick<TeamRow, 'name' | 'color' | 'logoId'> & {
  /** Where the logo is shown, without the host. Null also once that was deleted or taken down. */
  logoPath: string | null
}

const brandColumns = { name: true, color: true, logoId: true } as const
const stateColumns = { suspendedAt: true, suspendedReason: true, deletedAt: true } as const
const select = {
  id: true,
  name: true,
  color: true,
  logoId: true,
  createdAt: true,
  suppressesSoftBounces: true,
  ...stateColumns,
  removingSince: true,
  removes: true,
  guard: true,
  reputation: { select: { status: true, since: true, reason: true } },
} as const

const toRow = ({ removes, guard, reputation, ...row }: Prisma.TeamGetPayload<{ select: typeof select }>): TeamRow => ({
  ...row,
  removes: removes === null ? null : stored<RemovedCounts>(removes),
  guard: oneOf(GUARD_MODES, guard),
  reputation: reputation && { ...reputation, status: oneOf(REPUTATION_STATUSES, reputation.status) },
})

/** A change in another process is noticed within this time. */
const CACHE_MS = 1_000
/** Thousands of emails are made with it. */
const BRAND_CACHE_MS = 10_000
const KNOWN_TEAMS_MAX = 10_000
const TEAMS_PER_PAGE = 500

/** Teams own everything else. Only operators create and change them. */
export function teamRepository(
  { tables, records }: Pick<Database, 'tables' | 'records'>,
  { clock, publicUrl = '' }: { clock: Clock; publicUrl?: string },
) {
  const states = createCachedLookups<TeamState | null>({
    entriesMax: KNOWN_TEAMS_MAX,
    lifetimeMs: CACHE_MS,
    isKept: (state) => state !== null,
  })

  const brands = createCachedLookups<BrandRow | null>({ entriesMax: KNOWN_TEAMS_MAX, lifetimeMs: BRAND_CACHE_MS })

  async function change(where: Prisma.TeamWhereInput & { id: string }, data: Prisma.TeamUpdateManyMutationInput): Promise<TeamRow | null> {
    const { count } = await tables.team.updateMany({ where, data })
    if (count === 0) return null
    states.forget(where.id)
    brands.forget(where.id)
    return find(where.id)
  }

  async function find(teamId: string): Promise<TeamRow | null> {
    const row = await tables.team.findUnique({ where: { id: teamId }, select })
    return row && toRow(row)
  }

  async function readBrand(teamId: string): Promise<BrandRow | null> {
    const row = await tables.team.findUnique({ where: { id: teamId }, select: brandColumns })
    if (!row) return null
    const where = { teamId, id: row.logoId ?? LOWEST_ID, takenDownAt: null }
    const logo = row.logoId && (await tables.image.findFirst({ where, select: { token: true, contentType: true } }))
    return { ...row, logoPath: logo ? imagePath({ token: logo.token, contentType: oneOf(IMAGE_TYPES, logo.contentType) }) : null }
  }

  const brandOf = (teamId: string): Promise<BrandRow | null> => brands.find(teamId, () => readBrand(teamId))

  return {
    create: async (name: string): Promise<TeamRow> =>
      toRow(await tables.team.create({ data: { id: createId(clock), name, createdAt: clock.now() }, select })),
    /** With the key of the request, so that it makes no other team if it is sent again. The id of the earlier one; `conflict`: it was another request. */
    createOnce(name: string, idempotency: Idempotency): Promise<{ made: TeamRow } | { earlierId: string } | 'conflict'> {
      return records(async ({ tables: inside, execute }) => {
        const now = clock.now()
        const id = createId(clock)
        const result = await acceptOne(execute, { teamId: LOWEST_ID, acceptedAt: now, idempotency, response: { id } })
        if (result.kind === 'conflict') return 'conflict'
        if (result.kind === 'repeated') return { earlierId: (result.response as { id: string }).id }
        return { made: toRow(await inside.team.create({ data: { id, name, createdAt: now }, select })) }
      })
    },
    /** For the command line, which shows all of them, some at a time. The oldest first. */
    async *pagesAcrossTeams(size = TEAMS_PER_PAGE): AsyncGenerator<TeamRow[], void> {
      for (let after = LOWEST_ID; ; ) {
        const rows = await tables.team.findMany({ where: { id: { gt: after } }, select, orderBy: { id: 'asc' }, take: size })
        const last = rows.at(-1)
        if (!last) return
        yield rows.map(toRow)
        after = last.id
      }
    },
    /** The oldest team; null if there is none yet. */
    async firstAcrossTeams(): Promise<TeamRow | null> {
      const found = await tables.team.findFirst({ select, orderBy: { id: 'asc' } })
      return found && toRow(found)
    },
    /** Only operators may call it. */
    async listAcrossTeams(request: PageRequest): Promise<Page<TeamRow>> {
      const { rows, hasMore } = await readPage(request, ({ where, ...rest }) => tables.team.findMany({ where, select, ...rest }))
      return { rows: rows.map(toRow), hasMore }
    },
    findAcrossTeams: async (ids: string[]): Promise<TeamRow[]> =>
      (await tables.team.findMany({ where: { id: { in: ids } }, select })).map(toRow),
    /**
     * The oldest team, made together with its first key if there is none. Processes that start together get the same one, and it is new to one of
     * them only. The guard pauses its bulk mail at most, because it is mostly alone in its installation. Both are one commit, because a team that a crash left without a key would look like one that needs none.
     */
    async ensureFirst(name: string, { name: keyName, permission, digest }: FirstKey): Promise<{ team: { id: string }; isNew: boolean }> {
      const oldest = { select: { id: true }, orderBy: { id: 'asc' } } as const
      const existing = await tables.team.findFirst(oldest)
      if (existing) return { team: existing, isNew: false }
      return records(async ({ tables: inside, execute }) => {
        await lockTeams(execute)
        const earlier = await inside.team.findFirst(oldest)
        if (earlier) return { team: earlier, isNew: false }
        const createdAt = clock.now()
        const team = await inside.team.create({ data: { id: createId(clock), name, createdAt, guard: 'bulk' }, select: { id: true } })
        const key = { id: createId(clock), teamId: team.id, name: keyName, permission, digest, createdAt }
        await inside.apiKey.create({ data: key, select: { id: true } })
        return { team, isNew: true }
      })
    },
    find,

    /** Whether it may act. What another process changed is known within a second. Null once the team is removed. */
    stateOf: (teamId: string): Promise<TeamState | null> =>
      states.find(teamId, () => tables.team.findUnique({ where: { id: teamId }, select: stateColumns })),

    /** What another process changed is known within ten seconds. Null once the team is removed. */
    brandOf,
    /** What stands in its templates and broadcasts, known for as long. */
    async valuesOf(teamId: string): Promise<TeamValues | null> {
      const brand = await brandOf(teamId)
      return brand && { name: brand.name, color: brand.color, logoUrl: brand.logoPath && `${publicUrl}${brand.logoPath}` }
    },

    /** Null if there is no such team. Whether soft bounces in a row suppress an address of the team is for operators to decide. */
    update: (teamId: string, changed: TeamChange): Promise<TeamRow | null> => change({ id: teamId }, changed),

    /** Suspended again, it keeps the time of the first, and has another reason. */
    async suspend(teamId: string, reason: string): Promise<TeamRow | null> {
      const first = await change({ id: teamId, suspendedAt: null }, { suspendedAt: clock.now(), suspendedReason: reason })
      return first ?? change({ id: teamId, suspendedAt: { not: null } }, { suspendedReason: reason })
    },
    resume: (teamId: string): Promise<TeamRow | null> => change({ id: teamId }, { suspendedAt: null, suspendedReason: null }),

    /** Null if it is deleted already, or there is none. */
    deleteTeam: (teamId: string, removes: RemovedCounts): Promise<TeamRow | null> =>
      change({ id: teamId, deletedAt: null }, { deletedAt: clock.now(), removes }),
    /** Null if its removal has begun, or there is none. */
    restore: (teamId: string): Promise<TeamRow | null> =>
      change({ id: teamId, removingSince: null }, { deletedAt: null, removes: Prisma.DbNull }),
  }
}
