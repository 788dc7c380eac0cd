import { oneOf, stored } from '../../../db/columns.ts'
import type { Database } from '../../../db/database.ts'
import { orTaken } from '../../../db/database-errors.ts'
import { addJob, REMOVE_PROPERTY_VALUES } from '../../../db/jobs/jobs.ts'
import { readPage } from '../../../db/page.ts'
import { lockRow, lockTeamWithin } from '../../../db/transactions.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { filterThatNames } from '../references.repository.ts'
import { PROPERTY_LIMIT, PROPERTY_TYPES, type PropertyType } from './properties.schema.ts'

export type PropertyRow = {
  id: string
  /** Identifies the property in the values of contacts. */
  number: number
  key: string
  type: PropertyType
  fallbackValue: string | number | null
  createdAt: Date
}

/** Segments that are shown with a property. */
const USES_MAX = 20

const select = { id: true, number: true, key: true, type: true, fallbackValue: true, createdAt: true } as const

const toRow = (row: Prisma.ContactPropertyGetPayload<{ select: typeof select }>): PropertyRow => ({
  ...row,
  type: oneOf(PROPERTY_TYPES, row.type),
  fallbackValue: stored<PropertyRow['fallbackValue']>(row.fallbackValue),
})

export function contactPropertyRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
  return {
    /** All properties of the team, oldest first, for reading and checking the values of contacts. Bounded by the number that a team may have. */
    async all(teamId: string): Promise<PropertyRow[]> {
      return (await tables.contactProperty.findMany({ where: { teamId }, select, orderBy: { id: 'asc' } })).map(toRow)
    },

    async find(teamId: string, id: string): Promise<PropertyRow | null> {
      const row = await tables.contactProperty.findFirst({ where: { teamId, id }, select })
      return row && toRow(row)
    },

    list(teamId: string, request: PageRequest): Promise<Page<PropertyRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.contactProperty.findMany({ where: { teamId, ...where }, select, ...rest })).map(toRow),
      )
    },

    /** Some of the segments whose filters use it, the newest first. */
    segmentsWith(teamId: string, { id }: Pick<PropertyRow, 'id'>): Promise<{ id: string; name: string }[]> {
      return tables.segment.findMany({
        where: { teamId, filterUses: { has: id } },
        select: { id: true, name: true },
        orderBy: { id: 'desc' },
        take: USES_MAX,
      })
    },

    /** `taken`: the team has a property with this key. @throws Failure if it has as many as it may have */
    async create(
      teamId: string,
      { key, type, fallbackValue }: Pick<PropertyRow, 'key' | 'type' | 'fallbackValue'>,
    ): Promise<{ id: string } | 'taken'> {
      return orTaken(() =>
        records(async ({ tables: inside, execute }) => {
          await lockTeamWithin(execute, teamId, { limit: PROPERTY_LIMIT, count: () => inside.contactProperty.count({ where: { teamId } }) })
          const property = { id: createId(clock), teamId, key, type, fallbackValue: toJson(fallbackValue), createdAt: clock.now() }
          return inside.contactProperty.create({ data: property, select: { id: true } })
        }),
      )
    },

    /** Null if the team has no such property. */
    async updateFallback(teamId: string, id: string, fallbackValue: PropertyRow['fallbackValue']): Promise<{ id: string } | null> {
      const data = { fallbackValue: toJson(fallbackValue) }
      const [changed] = await tables.contactProperty.updateManyAndReturn({ where: { teamId, id }, data, select: { id: true } })
      return changed ?? null
    },

    /** Its values are hidden at once, and a job removes them. `usedBy`: the filter of that segment uses it. */
    async deleteProperty(teamId: string, id: string): Promise<{ id: string } | { usedBy: string } | null> {
      return records(async ({ tables: inside, execute }) => {
        const locked = await lockRow(execute, 'contact_properties', teamId, id)
        if (!locked) return null
        const user = await filterThatNames(inside, teamId, locked.id)
        if (user) return user
        const { number } = await inside.contactProperty.delete({ where: { teamId, id: locked.id }, select: { number: true } })
        await addJob(execute, REMOVE_PROPERTY_VALUES, { teamId, number })
        return locked
      })
    },
  }
}

const toJson = (value: PropertyRow['fallbackValue']) => value ?? Prisma.DbNull
