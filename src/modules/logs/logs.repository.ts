// Looking for past API requests in the console; in SQL, because a search reads a bounded number of requests, newest first, and says where it stopped.
import { type BoundedQueries, LOGS_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { rowArrays } from '../../db/columns.ts'
import { type Database, type Statement, statement } from '../../db/database.ts'
import { readPage, toWalk, type Walk } from '../../db/page.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page, SearchPage } from '../../lib/validation/common.schema.ts'
import { createWriteBehind } from '../../lib/write-behind.ts'

// Past API requests; in SQL where hundreds are written at once.

export type RequestLogEntry = {
  id: string
  teamId: string
  apiKeyId: string | null
  /** Who was signed in. */
  personId: string | null
  method: string
  endpoint: string
  responseStatus: number
  userAgent: string | null
  /** JSON. */
  requestBody: string | null
  responseBody: string | null
  requestBodyTruncated: boolean
  responseBodyTruncated: boolean
  createdAt: Date
}

const summary = {
  id: true,
  createdAt: true,
  endpoint: true,
  method: true,
  responseStatus: true,
  userAgent: true,
  apiKeyId: true,
  personId: true,
} as const
const whole = {
  ...summary,
  requestBody: true,
  responseBody: true,
  requestBodyTruncated: true,
  responseBodyTruncated: true,
} as const

export type RequestLogSummaryRow = Prisma.RequestLogGetPayload<{ select: typeof summary }>
export type RequestLogRow = Prisma.RequestLogGetPayload<{ select: typeof whole }>
const WRITTEN_EVERY_MS = 250
const BATCH_MAX = 500
/** About a second of traffic at full speed. Beyond it the newest entries are dropped. */
const WAITING_MAX = 20_000
const WAITING_BYTES_MAX = 64 * 1024 * 1024

export function requestLogRepository(
  { tables, execute }: Pick<Database, 'tables' | 'execute'>,
  { onLost }: { onLost: (count: number, reason: unknown) => void },
) {
  const behind = createWriteBehind<RequestLogEntry>({
    everyMs: WRITTEN_EVERY_MS,
    batchItemsMax: BATCH_MAX,
    waitingItemsMax: WAITING_MAX,
    waitingBytesMax: WAITING_BYTES_MAX,
    onLost,
    async write(entries) {
      await execute(INSERT, ROWS.values(entries))
    },
  })

  return {
    /** Takes an entry; it is written within a second. Never fails and never waits. */
    append: behind.add,
    flush: behind.flush,

    list(teamId: string, request: PageRequest): Promise<Page<RequestLogSummaryRow>> {
      return readPage(request, ({ where, ...rest }) =>
        tables.requestLog.findMany({ where: { teamId, ...where }, select: summary, ...rest }),
      )
    },
    find(teamId: string, id: string): Promise<RequestLogRow | null> {
      return tables.requestLog.findFirst({ where: { teamId, id }, select: whole })
    },
  }
}

const ROWS = rowArrays(
  {
    ...{
      id: 'uuid',
      teamId: 'uuid',
      apiKeyId: 'uuid',
      method: 'text',
      endpoint: 'text',
      responseStatus: 'int',
      userAgent: 'text',
      personId: 'uuid',
    },
    ...{ requestBody: 'json text', responseBody: 'json text', requestBodyTruncated: 'boolean', responseBodyTruncated: 'boolean' },
    createdAt: 'timestamptz',
  },
  1,
)

const INSERT = statement(
  'log requests',
  `
insert into request_logs (id, team_id, api_key_id, method, endpoint, response_status, user_agent, person_id, request_body, response_body,
  request_body_truncated, response_body_truncated, created_at)
select * from ${ROWS.source} as entry on conflict do nothing`,
)

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
    async searchPage(teamId: string, search: LogSearch): Promise<SearchPage<RequestLogSummaryRow>> {
      const { rows, next } = await this.search(teamId, search)
      const isBackward = (search.before ?? null) !== null
      return { rows: isBackward ? rows.toReversed() : rows, hasMore: next !== null, searchedTo: next?.isBecauseOfBound ? next.after : null }
    },

    async search(teamId: string, search: LogSearch): Promise<LogFindings> {
      const { path, method, status, apiKeyId, from, until, after, before = null, limit } = search
      const walk = apiKeyId !== null ? BY_KEY : status !== null && status.from >= PROBLEM_STATUS_MIN ? BY_PROBLEM : BY_TIME
      const place = toWalk({ after, before }, { since: from, until })
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
  select * from (select id, created_at, endpoint, method, response_status, user_agent, api_key_id, person_id from ${requests} limit $4) walked
   where ($6::text is null or starts_with(endpoint, $6)) and ($7::text is null or method = $7)
     and ($8::int is null or response_status between $8 and $9)
   order by id ${order} limit $10
)
select w.last, f.id, f.created_at as "createdAt", f.endpoint, f.method, f.response_status as "responseStatus", f.user_agent as "userAgent",
  f.api_key_id as "apiKeyId", f.person_id as "personId"
  from (select case when (select count(*) from found) < $10 then (select id from ${requests} offset $4 - 1 limit 1) end as last) w left join found f on true
 order by f.id ${order}`,
  )
}

const BY_TIME = walk('time', '$5::uuid is null')
const BY_PROBLEM = walk('problem', `$5::uuid is null and response_status >= ${PROBLEM_STATUS_MIN}`)
const BY_KEY = walk('key', 'api_key_id = $5::uuid')
