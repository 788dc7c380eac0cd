// How many contacts a team got, by the day; in SQL, because an index is counted. The time of a contact stands in its id, so no row is read.
import { type Database, statement } from '../../db/database.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { idBound } from '../../lib/ids.ts'

/** The contacts of one day that are counted: an import brings millions. */
export const ADDED_PER_DAY_MAX = 10_000

export function contactMetricRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /** Counts each day that begins at one of these times, up to one more than `ADDED_PER_DAY_MAX`. */
    async added(teamId: string, starts: readonly Date[]): Promise<number[]> {
      const values = [teamId, starts.map((start) => idBound(start.getTime())), starts.map((start) => idBound(start.getTime() + DAY_MS))]
      const rows = await transaction((inside) => inside<{ count: number }>(ADDED, values), { plans: 'by index' })
      return rows.map(({ count }) => count)
    },
  }
}

const ADDED = statement(
  'contacts added by days',
  `
select c.count from unnest($2::uuid[], $3::uuid[]) with ordinality as d(first, past, place) cross join lateral (
  select count(*)::int as count from (
    select from contacts where team_id = $1 and id >= d.first and id < d.past order by id desc limit ${ADDED_PER_DAY_MAX + 1}
  ) k
) c order by d.place`,
)
