// Looking for past API requests in the console; in SQL, because a search reads a bounded number of requests, newest first, and says where it stopped.
import { LOGS_SEARCHED_MAX } from '../../lib/search-bounds.ts'
import type { BoundedQueries } from '../bounded-queries.ts'
import { type Statement, statement } from '../database.ts'
import { type SearchPage, type Walk, walkOf } from '../page.ts'
import type { RequestLogSummaryRow } from './request-logs.ts'

/** Null matches anything. */
export type LogSearch = {
  /** How the path begins. */
  path: string | null
  method: string | null
  /** The lowest and the highest. */
  status: { from: number; to: number } | null
  /** The id of the key, or of the grant of a program. */
  apiKeyId: string | null
  /** The first instant, and the first one that is too late. */
  from: Date | null
  until: Date | null
  /** The id after which to continue. */
  after: string | null
  /** The next ones that are newer than this, instead. */
  before?: string | null
  limit: number
}

export type LogFindings = {
  rows: RequestLogSummaryRow[]
  /** The most requests to read; fewer if there are fewer. */
  searchedMax: number
  /** Where to continue; null if all requests were read. */
  next: { after: string; isBecauseOfBound: boolean } | null
}

/** From here on, requests have an index of their own. */
const PROBLEM_STATUS_MIN = 400

/** `last`: the request at the bound, if fewer were found than wanted and there are that many. */
type Found = { [Name in keyof RequestLogSummaryRow]: RequestLogSummaryRow[Name] | null } & { last: string | null }

export function logSearchRepository({ searches, searchedMax = LOGS_SEARCHED_MAX }: { searches: BoundedQueries; searchedMax?: number }) {
  return {
    /** A page of a search, newest first. */
    async searchPage(teamId: string, sought: LogSearch): Promise<SearchPage<RequestLogSummaryRow>> {
      const { rows, next } = await this.search(teamId, sought)
      const isBackward = (sought.before ?? null) !== null
      return { rows: isBackward ? rows.toReversed() : rows, hasMore: next !== null, searchedTo: next?.isBecauseOfBound ? next.after : null }
    },

    async search(teamId: string, sought: LogSearch): Promise<LogFindings> {
      const { path, method, status, apiKeyId, from, until, after, before = null, limit } = sought
      const walk = apiKeyId !== null ? BY_KEY : status !== null && status.from >= PROBLEM_STATUS_MIN ? BY_PROBLEM : BY_TIME
      const place = walkOf({ after, before }, { since: from, until })
      const walked = [teamId, place.from, place.until, searchedMax, apiKeyId]
      const filter = [path, method, status?.from ?? null, status?.to ?? null]
      const found = await searches.run(teamId, (searching) => searching<Found>(walk[place.order], [...walked, ...filter, limit + 1]))
      const last = found[0]?.last ?? null
      const all = found.flatMap(({ last: _last, ...row }) => (isRow(row) ? [row] : []))
      const rows = all.slice(0, limit)
      const lastShown = rows.at(-1)?.id
      if (all.length > limit && lastShown !== undefined) return { rows, searchedMax, next: { after: lastShown, isBecauseOfBound: false } }
      return { rows, searchedMax, next: last === null ? null : { after: last, isBecauseOfBound: true } }
    },
  }
}

const isRow = (row: Omit<Found, 'last'>): row is RequestLogSummaryRow => row.id !== null

const walk = (name: string, walked: string): Record<Walk['order'], Statement> => ({
  desc: walkTo(`search logs by ${name}`, walked, 'desc'),
  asc: walkTo(`search newer logs by ${name}`, walked, 'asc'),
})

/** Some requests of the team, in this order. */
function walkTo(name: string, walked: string, order: Walk['order']): Statement {
  const requests = `request_logs where team_id = $1 and id >= $2::uuid and id < $3::uuid and ${walked} order by id ${order}`
  return statement(
    name,
    // The inner limit keeps the other conditions out of the walk, which ends as soon as enough is found. The last one is looked for only if it is not.
    `
with found as materialized (
  select * from (select id, created_at, endpoint, method, response_status, user_agent from ${requests} limit $4) walked
   where ($6::text is null or starts_with(endpoint, $6)) and ($7::text is null or method = $7)
     and ($8::int is null or response_status between $8 and $9)
   order by id ${order} limit $10
)
select w.last, f.id, f.created_at as "createdAt", f.endpoint, f.method, f.response_status as "responseStatus", f.user_agent as "userAgent"
  from (select case when (select count(*) from found) < $10 then (select id from ${requests} offset $4 - 1 limit 1) end as last) w left join found f on true
 order by f.id ${order}`,
  )
}

const BY_TIME = walk('time', '$5::uuid is null')
const BY_PROBLEM = walk('problem', `$5::uuid is null and response_status >= ${PROBLEM_STATUS_MIN}`)
const BY_KEY = walk('key', 'api_key_id = $5::uuid')
