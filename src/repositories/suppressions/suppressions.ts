// The suppression list of a team, as its clients and its operator use it; in SQL where many addresses are added at once.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { SuppressionOrigin } from '../../schemas/suppressions.ts'
import { oneOf } from '../columns.ts'
import type { Database } from '../database.ts'
import { type Page, readPage } from '../page.ts'
import { addSuppressions, type SuppressionRow } from './new-suppressions.ts'
import { removeSuppressions, type SuppressionReferences } from './removed-suppressions.ts'

/** How a suppression is named: by its id, or by its address in the form of the list. */
export type SuppressionReference = { id: string } | { email: string }

const ORIGINS: Record<SuppressionOrigin, true> = { bounce: true, complaint: true, manual: true }

const select = { id: true, email: true, origin: true, sourceId: true, createdAt: true } as const

const toRow = (row: Prisma.SuppressionGetPayload<{ select: typeof select }>): SuppressionRow => ({
  ...row,
  origin: oneOf(ORIGINS, row.origin),
})

export function suppressionRepository({ tables, transaction }: Pick<Database, 'tables' | 'transaction'>, { clock }: { clock: Clock }) {
  return {
    async find(teamId: string, reference: SuppressionReference): Promise<SuppressionRow | null> {
      const row = await tables.suppression.findFirst({ where: { teamId, ...reference }, select })
      return row && toRow(row)
    },

    /** Of one origin, or all of them. */
    list(teamId: string, origin: SuppressionOrigin | null, request: PageRequest): Promise<Page<SuppressionRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.suppression.findMany({ where: { teamId, ...(origin !== null && { origin }), ...where }, select, ...rest })
        return rows.map(toRow)
      })
    },

    /**
     * Adds addresses, in the form of the list, for the team itself. One that is on the list stays as it is.
     *
     * @returns the id of each, in the order given, and how many are new.
     */
    add(teamId: string, emails: string[]): Promise<{ ids: string[]; addedCount: number }> {
      const additions = emails.map((email) => ({ teamId, email, origin: 'manual' as const, sourceId: null }))
      return transaction(async (inside) => {
        const added = await addSuppressions(inside, additions, clock.now())
        const rows = await inside<{ id: string; email: string }>(IDS, [teamId, emails])
        const ids = new Map(rows.map(({ id, email }) => [email, id]))
        return { ids: emails.map((email) => ids.get(email) ?? lost()), addedCount: added.length }
      })
    },

    /** Null if the address is not on the list. */
    async remove(teamId: string, reference: SuppressionReference): Promise<SuppressionRow | null> {
      const removed = await transaction((inside) => removeSuppressions(inside, teamId, many(reference), clock.now()))
      return removed[0] ?? null
    },

    /** Those that are on the list, in no order. */
    removeMany(teamId: string, references: SuppressionReferences): Promise<SuppressionRow[]> {
      return transaction((inside) => removeSuppressions(inside, teamId, references, clock.now()))
    },
  }
}

function lost(): never {
  throw new Error('An address that was just added is not on the suppression list')
}

const many = (reference: SuppressionReference): SuppressionReferences =>
  'id' in reference ? { ids: [reference.id] } : { emails: [reference.email] }

const IDS = 'select id, email from suppressions where team_id = $1 and email = any($2::text[])'
