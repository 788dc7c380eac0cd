import type { PropertyType } from '../../lib/audience/property-values.ts'
import type { Clock } from '../../lib/clock.ts'
import { isDuplicate } from '../../lib/database-errors.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { REMOVE_PROPERTY_VALUES } from '../../schemas/jobs.ts'
import type { Database } from '../database.ts'
import { addJob } from '../jobs.ts'
import { lockTeam } from '../locks.ts'
import { type Page, readPage } from '../page.ts'
import { filterThatNames } from './audience-references.ts'

export type PropertyRow = {
  id: string
  /** Stands for the property in the values of contacts. */
  number: number
  key: string
  type: PropertyType
  fallbackValue: string | number | null
  createdAt: Date
}

const columns = 'id, number, key, type, fallback_value as "fallbackValue", created_at as "createdAt"'

export function contactPropertyRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { clock }: { clock: Clock },
) {
  return {
    /** All of the team, oldest first: what the values of contacts are read and checked by. Bounded by the number that a team may have. */
    all: (teamId: string): Promise<PropertyRow[]> =>
      execute<PropertyRow>(`select ${columns} from contact_properties where team_id = $1 order by id`, [teamId]),

    async find(teamId: string, id: string): Promise<PropertyRow | null> {
      const [row] = await execute<PropertyRow>(`select ${columns} from contact_properties where team_id = $1 and id = $2`, [teamId, id])
      return row ?? null
    },

    list(teamId: string, request: PageRequest): Promise<Page<PropertyRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.contactProperty.findMany({ where: { teamId, ...where }, ...rest })
        // Written by this file alone, from the type that they are read as.
        return rows as (Omit<(typeof rows)[number], 'type' | 'fallbackValue'> & Pick<PropertyRow, 'type' | 'fallbackValue'>)[]
      })
    },

    /** `taken`: the team has a property with this key. `full`: it has `propertiesMax` of them. */
    async create(
      teamId: string,
      property: { key: string; type: PropertyType; fallbackValue: string | number | null },
      propertiesMax: number,
    ): Promise<{ id: string } | 'taken' | 'full'> {
      try {
        return await transaction(async (inside) => {
          await lockTeam(inside, teamId)
          const [row] = await inside<{ id: string }>(
            `insert into contact_properties (id, team_id, key, type, fallback_value, created_at)
             select $1, $2, $3, $4, $5::jsonb, $6 where (select count(*) from contact_properties where team_id = $2) < $7 returning id`,
            [createId(clock), teamId, property.key, property.type, jsonOf(property.fallbackValue), clock.now(), propertiesMax],
          )
          return row ?? 'full'
        })
      } catch (error) {
        if (isDuplicate(error)) return 'taken'
        throw error
      }
    },

    /** False when the team has no such property. */
    async changeFallback(teamId: string, id: string, fallbackValue: string | number | null): Promise<boolean> {
      const rows = await execute('update contact_properties set fallback_value = $3::jsonb where team_id = $1 and id = $2 returning id', [
        teamId,
        id,
        jsonOf(fallbackValue),
      ])
      return rows.length > 0
    },

    /** Its values are out of sight with it; a job removes them. `usedBy`: the filter of that segment asks for it. */
    async remove(teamId: string, id: string): Promise<'removed' | { usedBy: string } | null> {
      return transaction(async (inside) => {
        const [removed] = await inside<{ number: number }>(
          'select number from contact_properties where team_id = $1 and id = $2 for update',
          [teamId, id],
        )
        if (!removed) return null
        const user = await filterThatNames(inside, teamId, id)
        if (user) return user
        await inside('delete from contact_properties where team_id = $1 and id = $2', [teamId, id])
        await addJob(inside, REMOVE_PROPERTY_VALUES, { teamId, number: removed.number })
        return 'removed'
      })
    },

    /**
     * Removes values of a property that is gone from the next contacts, in the order of ids. Contacts that somebody holds are passed over, because
     * waiting for one while holding others could block both for ever.
     *
     * @returns where to go on, null at the end; and how many contacts were passed over
     */
    async removeValues(
      teamId: string,
      number: number,
      { after, contactsMax }: { after: string; contactsMax: number },
    ): Promise<{ last: string | null; passedOver: number }> {
      const [step] = await execute<{ last: string | null; passedOver: number }>(REMOVE_VALUES, [teamId, String(number), after, contactsMax])
      return step ?? { last: null, passedOver: 0 }
    },
  }
}

const jsonOf = (value: string | number | null): string | null => (value === null ? null : JSON.stringify(value))

const REMOVE_VALUES = `
with bite as (
  select id, properties ? $2::text as has from contacts where team_id = $1 and id > $3 order by id limit $4
), held as (
  select c.id from contacts c join bite b on b.id = c.id where b.has order by c.id for update of c skip locked
), changed as (
  update contacts c set properties = c.properties - $2::text from held h where c.id = h.id
)
select (select id from bite order by id desc limit 1) as last,
  ((select count(*) from bite where has) - (select count(*) from held))::int as "passedOver"`
