// The suppression list of a team, as its clients and its operator use it; in SQL where addresses are searched by a part.
import { oneOf, stored } from '../../db/columns.ts'
import type { Database } from '../../db/database.ts'
import { readPage, toWalk, type Walk } from '../../db/page.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page, SearchPage } from '../../lib/validation/common.schema.ts'
import {
  addSuppressions,
  removeSuppressions,
  type SoftBounce,
  type SuppressionReferences,
  type SuppressionRow,
} from './suppression-changes.repository.ts'
import { SUPPRESSION_ORIGINS, type SuppressionOrigin } from './suppressions.schema.ts'

// Which recipients are on the suppression list of their team; in SQL, because a whole part of a batch is looked up at once. Crosses teams: for
// workers.

/** A recipient, under an id that the caller chooses. */
export type AddressedRecipient = {
  id: string
  teamId: string
  /** In the form in which the list has it: in lower case, the domain as an A-label. */
  email: string
}

export function suppressedAddressRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Keyed by the ids of the recipients. Recipients who are not on the list are not in it. */
    async findAcrossTeams(recipients: AddressedRecipient[]): Promise<Map<string, SuppressionOrigin>> {
      if (recipients.length === 0) return new Map()
      const rows = await execute<{ id: string; origin: SuppressionOrigin }>(FIND, [
        recipients.map(({ id }) => id),
        recipients.map(({ teamId }) => teamId),
        recipients.map(({ email }) => email),
      ])
      return new Map(rows.map(({ id, origin }) => [id, origin]))
    },
  }
}

// `offset 0` makes it a probe for each recipient, because a part is small compared with the list.
const FIND = `
select r.id, s.origin from unnest($1::uuid[], $2::uuid[], $3::text[]) as r(id, team_id, email)
 cross join lateral (select origin from suppressions where team_id = r.team_id and email = r.email offset 0) s`

/** How a suppression is named: by its id, or by its address in the form of the list. */
export type SuppressionReference = { id: string } | { email: string }

/** `before`: the next newer ones instead. */
export type SuppressionSearch = {
  part: string
  origin: SuppressionOrigin | null
  after: string | null
  before?: string | null
  limit: number
}

export type SuppressionFindings = {
  rows: SuppressionRow[]
  /** The id after which to continue; null if all suppressions were read. */
  next: string | null
  /** How many the search read, if it ended because of that; otherwise null. */
  searchedMax: number | null
}

/** The suppressions that one search reads. */
export const SUPPRESSIONS_SEARCHED_MAX = 50_000

const select = { id: true, email: true, origin: true, sourceId: true, createdAt: true, softBounces: true } as const

const toRow = (row: Prisma.SuppressionGetPayload<{ select: typeof select }>): SuppressionRow => ({
  ...row,
  origin: oneOf(SUPPRESSION_ORIGINS, row.origin),
  softBounces: row.softBounces === null ? null : stored<SoftBounce[]>(row.softBounces),
})

export function suppressionRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { clock, searchedMax = SUPPRESSIONS_SEARCHED_MAX }: { clock: Clock; searchedMax?: number },
) {
  return {
    async find(teamId: string, reference: SuppressionReference): Promise<SuppressionRow | null> {
      const row = await tables.suppression.findFirst({ where: { teamId, ...reference }, select })
      return row && toRow(row)
    },

    /** Which of the addresses of a page, in the form of the list, are on it: one probe of its index for each. */
    async among(teamId: string, emails: readonly string[]): Promise<ReadonlySet<string>> {
      if (emails.length === 0) return new Set()
      const rows = await tables.suppression.findMany({ where: { teamId, email: { in: [...emails] } }, select: { email: true } })
      return new Set(rows.map(({ email }) => email))
    },

    /** Lists suppressions of one origin, or of all. */
    list(teamId: string, origin: SuppressionOrigin | null, request: PageRequest): Promise<Page<SuppressionRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.suppression.findMany({ where: { teamId, ...(origin !== null && { origin }), ...where }, select, ...rest })
        return rows.map(toRow)
      })
    },

    /**
     * Finds suppressions whose address has a part that was typed. One search reads a bounded number of suppressions, because no index finds a part of
     * a word.
     */
    async search(teamId: string, { part, origin, after, before = null, limit }: SuppressionSearch): Promise<SuppressionFindings> {
      const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`
      const walk = toWalk({ after, before }, { since: null, until: null })
      const values = [teamId, walk.until, origin, searchedMax, pattern, limit + 1, walk.from]
      const found = await execute<{ id: string; isRead: boolean }>(SEARCHED[walk.order], values)
      const ids = found.filter(({ isRead }) => !isRead).map(({ id }) => id)
      const kept = ids.slice(0, limit)
      const rows = await tables.suppression.findMany({ where: { teamId, id: { in: kept } }, select, orderBy: { id: 'desc' } })
      const bound = found.find(({ isRead }) => isRead)?.id
      return ids.length > limit
        ? { rows: rows.map(toRow), next: kept.at(-1) ?? null, searchedMax: null }
        : { rows: rows.map(toRow), next: bound ?? null, searchedMax: bound === undefined ? null : searchedMax }
    },

    /** A page of a search, newest first. */
    async searchPage(teamId: string, search: SuppressionSearch): Promise<SearchPage<SuppressionRow>> {
      const { rows, next, searchedMax: bound } = await this.search(teamId, search)
      return { rows, hasMore: next !== null, searchedTo: bound === null ? null : next }
    },

    /**
     * Adds addresses, in the form of the list, because the team asks for it. One that is on the list stays as it is.
     *
     * @returns the id of each, in the order given, and how many are new.
     */
    add(teamId: string, entries: Pick<SuppressionRow, 'email' | 'origin'>[]): Promise<{ ids: string[]; addedCount: number }> {
      const emails = entries.map(({ email }) => email)
      const additions = entries.map(({ email, origin }) => ({ teamId, email, origin, sourceId: null }))
      return transaction(async (inside) => {
        const added = await addSuppressions(inside, additions, clock.now())
        const rows = await inside<{ id: string; email: string }>(IDS, [teamId, emails])
        const ids = new Map(rows.map(({ id, email }) => [email, id]))
        return { ids: emails.map((email) => ids.get(email) ?? lost()), addedCount: added.length }
      })
    },

    /** Null if the address is not on the list. */
    async deleteSuppression(teamId: string, reference: SuppressionReference): Promise<SuppressionRow | null> {
      const removed = await transaction((inside) => removeSuppressions(inside, teamId, many(reference), clock.now()))
      return removed[0] ?? null
    },

    /** Removes the ones that are on the list. Returns them in no order. */
    deleteSuppressions(teamId: string, references: SuppressionReferences): Promise<SuppressionRow[]> {
      return transaction((inside) => removeSuppressions(inside, teamId, references, clock.now()))
    },
  }
}

function lost(): never {
  throw new Error('An address that was just added is not on the suppression list')
}

const many = (reference: SuppressionReference): SuppressionReferences =>
  'id' in reference ? { ids: [reference.id] } : { emails: [reference.email] }

// Beside those that were found the last one that was read, if as many were read as may be.
const searched = (order: Walk['order']): string => `
with read as materialized (
  select id, email from suppressions
   where team_id = $1 and id < $2::uuid and id >= $7::uuid and ($3::text is null or origin = $3) order by id ${order} limit $4
)
(select id, false as "isRead" from read where email like $5 order by id ${order} limit $6)
union all
(select id, true from read order by id ${order} offset $4 - 1)`

const SEARCHED = { desc: searched('desc'), asc: searched('asc') }

const IDS = 'select id, email from suppressions where team_id = $1 and email = any($2::text[])'
