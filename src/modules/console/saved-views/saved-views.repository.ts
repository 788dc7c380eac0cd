// The views that a person has saved in a team. Others of the team see those that are shared, and change none.
import type { Database } from '../../../db/database.ts'
import { lockTeamWithin } from '../../../db/transactions.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import { SAVED_VIEW_LIMIT, SAVED_VIEWS_MAX } from './saved-views.schema.ts'

export type SavedViewRow = {
  id: string
  personId: string
  name: string
  page: string
  query: string
  isShared: boolean
  createdAt: Date
  updatedAt: Date
}

const select = {
  ...{ id: true, personId: true, name: true, page: true, query: true },
  ...{ isShared: true, createdAt: true, updatedAt: true },
} as const

type NewView = Pick<SavedViewRow, 'name' | 'page' | 'query' | 'isShared'>

export function savedViewRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
  return {
    /** All of the person, and the newest that others share, newest first. */
    async list(teamId: string, personId: string): Promise<SavedViewRow[]> {
      const newest = { select, orderBy: { id: 'desc' }, take: SAVED_VIEWS_MAX } as const
      const [own, shared] = await Promise.all([
        tables.savedView.findMany({ where: { teamId, personId }, ...newest }),
        tables.savedView.findMany({ where: { teamId, isShared: true, personId: { not: personId } }, ...newest }),
      ])
      return [...own, ...shared].sort((one, other) => (one.id < other.id ? 1 : -1))
    },

    /** @throws Failure if the person has as many as they may have */
    create(teamId: string, personId: string, { name, page, query, isShared }: NewView): Promise<SavedViewRow> {
      return records(async ({ tables: inside, execute }) => {
        await lockTeamWithin(execute, teamId, {
          limit: SAVED_VIEW_LIMIT,
          count: () => inside.savedView.count({ where: { teamId, personId } }),
        })
        const now = clock.now()
        const data = { id: createId(clock), teamId, personId, name, page, query, isShared, createdAt: now, updatedAt: now }
        return inside.savedView.create({ data, select })
      })
    },

    /** Null if the person has no such view. Absent fields stay as they are. */
    async updateView(
      teamId: string,
      personId: string,
      id: string,
      { name, query, isShared }: Partial<Pick<SavedViewRow, 'name' | 'query' | 'isShared'>>,
    ): Promise<SavedViewRow | null> {
      const data = {
        ...{ ...(name !== undefined && { name }), ...(query !== undefined && { query }) },
        ...{ ...(isShared !== undefined && { isShared }), updatedAt: clock.now() },
      }
      const [changed] = await tables.savedView.updateManyAndReturn({ where: { teamId, personId, id }, data, select })
      return changed ?? null
    },

    /** Null if the person has no such view. */
    async deleteView(teamId: string, personId: string, id: string): Promise<{ id: string } | null> {
      const { count } = await tables.savedView.deleteMany({ where: { teamId, personId, id } })
      return count === 0 ? null : { id: id.toLowerCase() }
    },
  }
}
