// Contacts found by a part of their address or name; in SQL, because it says where it stopped. A search reads a bounded number of contacts, newest
// first, because no index finds a part of a word.
import { CONTACTS_SEARCHED_MAX } from '../../lib/search-bounds.ts'
import type { BoundedQueries } from '../bounded-queries.ts'
import type { Database } from '../database.ts'
import { type SearchPage, type Walk, walkOf } from '../page.ts'
import { type ContactRow, contactSelect, toContactRow } from './contact-rows.ts'

/** `before`: the next newer ones instead. `words`: as typed, for names. `part`: the same in the form of addresses. */
export type ContactSearch = { words: string; part: string; after: string | null; before?: string | null; limit: number }

export type ContactFindings = {
  rows: ContactRow[]
  /** The id after which to continue; null if all contacts were read. */
  next: string | null
  /** How many the search read, if it ended because of that; otherwise null. */
  searchedMax: number | null
}

export function contactSearchRepository(
  { tables }: Pick<Database, 'tables'>,
  { searches, searchedMax = CONTACTS_SEARCHED_MAX }: { searches: BoundedQueries; searchedMax?: number },
) {
  return {
    /** A page of a search, newest first. */
    async searchPage(teamId: string, sought: ContactSearch): Promise<SearchPage<ContactRow>> {
      const { rows, next, searchedMax: bound } = await this.search(teamId, sought)
      return { rows, hasMore: next !== null, searchedTo: bound === null ? null : next }
    },

    /** @throws Failure if it takes too long, or too many searches are running already. */
    async search(teamId: string, { words, part, after, before = null, limit }: ContactSearch): Promise<ContactFindings> {
      const walk = walkOf({ after, before }, { since: null, until: null })
      const values = [teamId, walk.until, searchedMax, patternOf(part), patternOf(words), limit + 1, walk.from]
      const found = await searches.run(teamId, async (searching, inside) => {
        await inside(BY_INDEX)
        return searching<{ id: string; isRead: boolean }>(CONTACTS_SEARCHED[walk.order], values)
      })
      const ids = found.filter(({ isRead }) => !isRead).map(({ id }) => id)
      const kept = ids.slice(0, limit)
      const rows = await tables.contact.findMany({
        where: { teamId, id: { in: kept } },
        select: contactSelect,
        orderBy: { id: 'desc' },
      })
      const bound = found.find(({ isRead }) => isRead)?.id
      return ids.length > limit
        ? { rows: rows.map(toContactRow), next: kept.at(-1) ?? null, searchedMax: null }
        : { rows: rows.map(toContactRow), next: bound ?? null, searchedMax: bound === undefined ? null : searchedMax }
    },
  }
}

const patternOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** A bitmap would read all contacts of the team, and then sort them. */
const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off'

// Beside those that were found the last one that was read, if as many were read as may be.
const searched = (order: Walk['order']): string => `
with read as materialized (
  select id, email, first_name, last_name from contacts where team_id = $1 and id < $2::uuid and id >= $7::uuid order by id ${order} limit $3
)
(select id, false as "isRead" from read where email like $4 or concat_ws(' ', first_name, last_name) ilike $5 order by id ${order} limit $6)
union all
(select id, true from read order by id ${order} offset $3 - 1)`

const CONTACTS_SEARCHED = { desc: searched('desc'), asc: searched('asc') }
