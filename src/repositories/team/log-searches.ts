// Looking for past API requests in the console; in SQL, because a search reads a bounded number of requests, newest first, and says where it stopped.
import { HIGHEST_ID, idBound, LOWEST_ID } from '../../lib/ids.ts'
import type { BoundedQueries } from '../bounded-queries.ts'
import { type Statement, statement } from '../database.ts'
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
  limit: number
}

export type LogFindings = {
  rows: RequestLogSummaryRow[]
  /** The most requests to read; fewer if there are fewer. */
  searchedMax: number
  /** Where to continue; null if all requests were read. */
  next: { after: string; isBecauseOfBound: boolean } | null
}

/** The requests that one search reads. */
const LOGS_SEARCHED_MAX = 10_000
/** From here on, requests have an index of their own. */
const PROBLEM_STATUS_MIN = 400

/** `last`: the request at the bound, if fewer were found than wanted and there are that many. */
type Found = { [Name in keyof RequestLogSummaryRow]: RequestLogSummaryRow[Name] | null } & { last: string | null }

export function logSearchRepository({ searches, searchedMax = LOGS_SEARCHED_MAX }: { searches: BoundedQueries; searchedMax?: number }) {
  return {
    async search(teamId: string, sought: LogSearch): Promise<LogFindings> {
      const { path, method, status, apiKeyId, from, until, after, limit } = sought
      const walk = apiKeyId !== null ? BY_KEY : status !== null && status.from >= PROBLEM_STATUS_MIN ? BY_PROBLEM : BY_TIME
      const end = until === null ? HIGHEST_ID : idBound(until.getTime())
      const begin = after !== null && after < end ? after : end
      const walked = [teamId, from === null ? LOWEST_ID : idBound(from.getTime()), begin, searchedMax, apiKeyId]
      const filter = [path, method, status?.from ?? null, status?.to ?? null]
      const found = await searches.run(teamId, (searching) => searching<Found>(walk, [...walked, ...filter, limit + 1]))
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

/** Some requests of the team, the newest first. */
function walk(name: string, walked: string): Statement {
  const requests = `request_logs where team_id = $1 and id >= $2::uuid and id < $3::uuid and ${walked} order by id desc`
  return statement(
    `search logs by ${name}`,
    // The inner limit keeps the other conditions out of the walk, which ends as soon as enough is found. The last one is looked for only if it is not.
    `
with found as materialized (
  select * from (select id, created_at, endpoint, method, response_status, user_agent from ${requests} limit $4) walked
   where ($6::text is null or starts_with(endpoint, $6)) and ($7::text is null or method = $7)
     and ($8::int is null or response_status between $8 and $9)
   order by id desc limit $10
)
select w.last, f.id, f.created_at as "createdAt", f.endpoint, f.method, f.response_status as "responseStatus", f.user_agent as "userAgent"
  from (select case when (select count(*) from found) < $10 then (select id from ${requests} offset $4 - 1 limit 1) end as last) w left join found f on true
 order by f.id desc`,
  )
}

const BY_TIME = walk('time', '$5::uuid is null')
const BY_PROBLEM = walk('problem', `$5::uuid is null and response_status >= ${PROBLEM_STATUS_MIN}`)
const BY_KEY = walk('key', 'api_key_id = $5::uuid')
