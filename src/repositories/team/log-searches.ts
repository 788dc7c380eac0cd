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

type Found = { [Name in keyof RequestLogSummaryRow]: RequestLogSummaryRow[Name] | null } & { read: number; last: string | null }

export function logSearchRepository({ searches, searchedMax = LOGS_SEARCHED_MAX }: { searches: BoundedQueries; searchedMax?: number }) {
  return {
    async search(teamId: string, sought: LogSearch): Promise<LogFindings> {
      const { path, method, status, apiKeyId, from, until, after, limit } = sought
      const walk = apiKeyId !== null ? BY_KEY : status !== null && status.from >= PROBLEM_STATUS_MIN ? BY_PROBLEM : BY_TIME
      const end = until === null ? HIGHEST_ID : idBound(until.getTime())
      const values = [
        ...[teamId, from === null ? LOWEST_ID : idBound(from.getTime()), after !== null && after < end ? after : end, searchedMax],
        ...[path, method, status?.from ?? null, status?.to ?? null, limit + 1, ...(apiKeyId === null ? [] : [apiKeyId])],
      ]
      const found = await searches.run(teamId, (searching) => searching<Found>(walk, values))
      const { read = 0, last = null } = found[0] ?? {}
      const all = found.flatMap(({ read: _read, last: _last, ...row }) => (isRow(row) ? [row] : []))
      const rows = all.slice(0, limit)
      return { rows, searchedMax, next: nextAfter({ rows, hasMore: all.length > limit, isBounded: read >= searchedMax, last }) }
    },
  }
}

const isRow = (row: Omit<Found, 'read' | 'last'>): row is RequestLogSummaryRow => row.id !== null

type Walked = { rows: RequestLogSummaryRow[]; hasMore: boolean; isBounded: boolean; last: string | null }

function nextAfter({ rows, hasMore, isBounded, last }: Walked): LogFindings['next'] {
  const lastShown = rows.at(-1)?.id
  if (hasMore && lastShown !== undefined) return { after: lastShown, isBecauseOfBound: false }
  return isBounded && last !== null ? { after: last, isBecauseOfBound: true } : null
}

/** The limit keeps the other conditions out of the walk. */
const search = (name: string, walked: string): Statement =>
  statement(
    `search logs by ${name}`,
    `
with walked as materialized (
  select id, created_at, endpoint, method, response_status, user_agent from request_logs
   where team_id = $1 and id >= $2::uuid and id < $3::uuid and ${walked} order by id desc limit $4
), found as (
  select * from walked
   where ($5::text is null or starts_with(endpoint, $5)) and ($6::text is null or method = $6)
     and ($7::int is null or response_status between $7 and $8)
   order by id desc limit $9
)
select w.read, w.last, f.id, f.created_at as "createdAt", f.endpoint, f.method, f.response_status as "responseStatus", f.user_agent as "userAgent"
  from (select count(*)::int as read, (select id from walked order by id limit 1) as last from walked) w left join found f on true
 order by f.id desc`,
  )

const BY_TIME = search('time', 'true')
const BY_PROBLEM = search('problem', `response_status >= ${PROBLEM_STATUS_MIN}`)
const BY_KEY = search('key', 'api_key_id = $10::uuid')
