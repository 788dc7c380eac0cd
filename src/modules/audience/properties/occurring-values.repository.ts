// The values that a property has in contacts, for people who write a filter; in SQL, because they lie in the JSON of each contact, in no index.
import type { BoundedQueries } from '../../../db/bounded-queries.ts'
import { OCCURRING_VALUES_MAX, VALUES_SEARCHED_MAX } from './properties.schema.ts'

export const occurringValueRepository = ({ searches }: { searches: BoundedQueries }) => ({
  /**
   * The most frequent ones among the newest contacts.
   *
   * @param number of the property
   * @param beginning in letters of any case
   * @throws Failure if it takes too long, or the values of too many properties are being read already.
   */
  async list(teamId: string, { number, beginning }: { number: number; beginning: string }): Promise<{ value: string | number }[]> {
    return searches.run(teamId, async (searching, inside) => {
      await inside(BY_INDEX)
      return searching<{ value: string | number }>(OCCURRING, [
        teamId,
        VALUES_SEARCHED_MAX,
        String(number),
        beginning,
        OCCURRING_VALUES_MAX,
      ])
    })
  },
})

/** A bitmap would read all contacts of the team, and then sort them. */
const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off'

const OCCURRING = `
with read as materialized (select properties -> $3 as value from contacts where team_id = $1 order by id desc limit $2)
select value from read
 where jsonb_typeof(value) in ('string', 'number') and starts_with(lower(value #>> '{}'), lower($4)) group by value order by count(*) desc, lower(value #>> '{}'), value limit $5`
