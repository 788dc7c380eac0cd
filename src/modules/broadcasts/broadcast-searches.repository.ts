// Broadcasts by their status, their segment or their topic; in SQL, because a search reads a bounded number of broadcasts, newest first, and says where it stopped.

import { type BoundedQueries, BROADCASTS_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { statement } from '../../db/database.ts'
import { toWalk, type Walk } from '../../db/page.ts'
import type { SearchPage } from '../../lib/validation/common.schema.ts'
import type { BroadcastStatus } from './broadcast-states.ts'

/** Null matches anything. `before`: the next newer ones instead. */
export type BroadcastSearch = {
  status: BroadcastStatus | null
  segmentId: string | null
  topicId: string | null
  since: Date | null
  until: Date | null
  after: string | null
  before: string | null
  limit: number
}

export function broadcastSearchRepository({
  searches,
  searchedMax = BROADCASTS_SEARCHED_MAX,
}: {
  searches: BoundedQueries
  searchedMax?: number
}) {
  return {
    /**
     * The ids of those that match, newest first.
     * @throws Failure if it takes too long, or too many searches are running already.
     */
    async searchPage(
      teamId: string,
      { status, segmentId, topicId, since, until, after, before, limit }: BroadcastSearch,
    ): Promise<SearchPage<string>> {
      const { from, until: end, order } = toWalk({ after, before }, { since, until })
      const walk = (segmentId !== null ? OF_SEGMENT : topicId !== null ? OF_TOPIC : OF_TEAM)[order]
      const values = [teamId, from, end, searchedMax, segmentId, status, limit + 1, topicId]
      const found = await searches.run(teamId, (searching) => searching<{ id: string; isRead: boolean }>(walk, values))
      const ids = found.filter(({ isRead }) => !isRead).map(({ id }) => id)
      const bound = ids.length > limit ? null : (found.find(({ isRead }) => isRead)?.id ?? null)
      const rows = ids.slice(0, limit)
      return { rows: before === null ? rows : rows.reverse(), hasMore: ids.length > limit || bound !== null, searchedTo: bound }
    },
  }
}

/** Beside those that were found the last one that was read, if as many were read as may be. */
const walkTo = (name: string, place: string, order: Walk['order']) =>
  statement(
    `search broadcasts by ${name}, ${order}`,
    `
with read as materialized (
  select id, status, topic_id from broadcasts where team_id = $1 and id >= $2::uuid and id < $3::uuid and ${place} order by id ${order} limit $4
)
(select id, false as "isRead" from read where ($6::text is null or status = $6) and ($8::uuid is null or topic_id = $8) order by id ${order} limit $7)
union all
(select id, true from read order by id ${order} offset $4 - 1)`,
  )

const walk = (name: string, place: string) => ({ desc: walkTo(name, place, 'desc'), asc: walkTo(name, place, 'asc') })

const OF_TEAM = walk('time', '$5::uuid is null')
const OF_SEGMENT = walk('segment', 'segment_id = $5::uuid')
const OF_TOPIC = walk('topic', '$5::uuid is null and topic_id = $8::uuid')
