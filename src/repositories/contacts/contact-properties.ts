import { Prisma } from '../../generated/prisma/client.ts'
import type { PropertyType } from '../../lib/audience/property-values.ts'
import type { Clock } from '../../lib/clock.ts'
import { isDuplicate } from '../../lib/database-errors.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { REMOVE_PROPERTY_VALUES } from '../../schemas/jobs.ts'
import { oneOf, stored } from '../columns.ts'
import type { Database } from '../database.ts'
import { addJob } from '../jobs.ts'
import { lockRow, lockTeam } from '../locks.ts'
import { type Page, readPage } from '../page.ts'
import { filterThatNames } from './filter-references.ts'

export const PROPERTY_TYPES: Record<PropertyType, true> = { string: true, number: true }

export type PropertyRow = {
  id: string
  /** Identifies the property in the values of contacts. */
  number: number
  key: string
  type: PropertyType
  fallbackValue: string | number | null
  createdAt: Date
}

export type PropertyUses = {
  segments: { id: string; name: string }[]
  broadcasts: { id: string; name: string; texts: (string | null)[] }[]
}

/** The limit for each kind. */
const USES_MAX = 20
/** Each may have 2 MB of text. */
const BROADCASTS_LOOKED_THROUGH_MAX = 20

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

    /**
     * The segments whose filters use it, and the texts of broadcasts to be sent that have its key anywhere: some of each, the newest first. Of the
     * broadcasts, only the newest that are not sent are looked through.
     */
    async usesOf(teamId: string, { id, key }: Pick<PropertyRow, 'id' | 'key'>): Promise<PropertyUses> {
      const newest = await tables.broadcast.findMany({
        where: { teamId, status: { in: ['draft', 'scheduled'] } },
        select: { id: true },
        orderBy: { id: 'desc' },
        take: BROADCASTS_LOOKED_THROUGH_MAX,
      })
      const hasKey = { contains: key, mode: 'insensitive' } as const
      const [segments, broadcasts] = await Promise.all([
        tables.segment.findMany({
          where: { teamId, filterUses: { has: id } },
          select: { id: true, name: true },
          orderBy: { id: 'desc' },
          take: USES_MAX,
        }),
        tables.broadcast.findMany({
          where: {
            teamId,
            id: { in: newest.map((one) => one.id) },
            status: { in: ['draft', 'scheduled'] },
            OR: [{ subject: hasKey }, { previewText: hasKey }, { html: hasKey }, { text: hasKey }],
          },
          select: { id: true, name: true, subject: true, previewText: true, html: true, text: true },
          orderBy: { id: 'desc' },
          take: USES_MAX,
        }),
      ])
      return {
        segments,
        broadcasts: broadcasts.map(({ id: broadcastId, name, ...texts }) => ({ id: broadcastId, name, texts: Object.values(texts) })),
      }
    },

    /** `taken`: the team has a property with this key. `full`: it has `propertiesMax` of them. */
    async create(
      teamId: string,
      { key, type, fallbackValue }: Pick<PropertyRow, 'key' | 'type' | 'fallbackValue'>,
      propertiesMax: number,
    ): Promise<{ id: string } | 'taken' | 'full'> {
      try {
        return await records(async ({ tables: inside, execute }) => {
          await lockTeam(execute, teamId)
          if ((await inside.contactProperty.count({ where: { teamId } })) >= propertiesMax) return 'full'
          const property = { id: createId(clock), teamId, key, type, fallbackValue: jsonOf(fallbackValue), createdAt: clock.now() }
          return inside.contactProperty.create({ data: property, select: { id: true } })
        })
      } catch (error) {
        if (isDuplicate(error)) return 'taken'
        throw error
      }
    },

    /** False if the team has no such property. */
    async changeFallback(teamId: string, id: string, fallbackValue: PropertyRow['fallbackValue']): Promise<boolean> {
      const { count } = await tables.contactProperty.updateMany({ where: { teamId, id }, data: { fallbackValue: jsonOf(fallbackValue) } })
      return count > 0
    },

    /** Its values are hidden at once, and a job removes them. `usedBy`: the filter of that segment uses it. */
    async remove(teamId: string, id: string): Promise<'removed' | { usedBy: string } | null> {
      return records(async ({ tables: inside, execute }) => {
        const locked = await lockRow(execute, 'contact_properties', teamId, id)
        if (!locked) return null
        const user = await filterThatNames(inside, teamId, locked.id)
        if (user) return user
        const { number } = await inside.contactProperty.delete({ where: { teamId, id: locked.id }, select: { number: true } })
        await addJob(execute, REMOVE_PROPERTY_VALUES, { teamId, number })
        return 'removed'
      })
    },
  }
}

const jsonOf = (value: PropertyRow['fallbackValue']) => value ?? Prisma.DbNull
