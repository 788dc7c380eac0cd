// The columns of a file that become properties, with the numbers under which contacts store their values; in SQL, because one
// statement finds and creates all of them.

import type { ColumnType, ContactColumns, NumberedColumns } from '../../lib/audience/contact-columns.ts'
import type { PropertyType } from '../../lib/audience/property-values.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { Execute } from '../database.ts'

export type ColumnProblem = { problem: 'too many properties' } | { problem: 'property of another type'; key: string }

/** Creates the missing properties, all or none. The team is locked, so other requests that create properties wait. */
export async function numberColumns(
  execute: Execute,
  teamId: string,
  { properties, ...rest }: ContactColumns,
  { propertiesMax, clock }: { propertiesMax: number; clock: Clock },
): Promise<NumberedColumns | ColumnProblem> {
  if (properties.length === 0) return { ...rest, properties: [] }
  const rows = await execute<{ key: string; type: string; number: number }>(FIND_OR_CREATE, [
    teamId,
    properties.map(() => createId(clock)),
    properties.map(({ key }) => key),
    properties.map(({ type }) => keptAs(type)),
    clock.now(),
    propertiesMax,
  ])
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const numbered: NumberedColumns['properties'] = []
  for (const property of properties) {
    const row = byKey.get(property.key)
    if (row && row.type !== keptAs(property.type)) return { problem: 'property of another type', key: property.key }
    if (row) numbered.push({ ...property, number: row.number })
  }
  return numbered.length === properties.length ? { ...rest, properties: numbered } : { problem: 'too many properties' }
}

const keptAs = (type: ColumnType): PropertyType => (type === 'boolean' ? 'string' : type)

const FIND_OR_CREATE = `
with given as (
  select * from unnest($2::uuid[], $3::text[], $4::text[]) as g(id, key, type)
), owned as (
  select key, type, number from contact_properties where team_id = $1
), missing as (
  select * from given g where not exists (select from owned o where o.key = g.key)
), created as (
  insert into contact_properties (id, team_id, key, type, created_at)
  select id, $1, key, type, $5::timestamptz from missing
   where (select count(*) from owned) + (select count(*) from missing) <= $6
     and not exists (select from given g join owned o on o.key = g.key where o.type <> g.type)
   order by id
  returning key, type, number
)
select * from created union all select * from owned`
