import type { Static } from '@sinclair/typebox'
import { LOGS_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { hasFilter, searchedSentence, toTimeRange } from '../../http/list-filters.ts'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { toList, toSearchedList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import { type PageRequest, pageRequest } from '../../lib/page-request.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { lackingScope, mayRead, mayReadRequest } from '../accounts/scopes.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import type { LogsContext } from './logs.context.ts'
import type { LogSearch, RequestLogRow, RequestLogSummaryRow } from './logs.repository.ts'
import { LOGS, Log, LogList, LogListQuery, LogParams, type LogSummary } from './logs.schema.ts'

type Context = LogsContext & AccountsContext

type Reader = Parameters<typeof mayReadRequest>[0]

/** What those who made requests are called, by their ids: addresses of persons, names of keys. */
type Callers = { addresses: ReadonlyMap<string, string>; keyNames: ReadonlyMap<string, string> }

/** An address names records and people, and the bodies hold them: a token sees both with the scope of their section only. */
export const logFor =
  (reader: Reader, callers: Callers) =>
  (row: RequestLogRow): Static<typeof Log> => {
    const summary = logSummaryFor(reader, callers)(row)
    if (mayReadRequest(reader, row.endpoint)) return { ...toLog(row), ...summary }
    return { ...toLog(row), ...summary, request_body: null, response_body: null }
  }

export const logSummaryFor =
  (reader: Reader, { addresses, keyNames }: Callers) =>
  (row: RequestLogSummaryRow): Static<typeof LogSummary> => ({
    ...toLogSummary(row),
    ...(!mayReadRequest(reader, row.endpoint) && { endpoint: sectionAddress(row) }),
    api_key: mayRead(reader, 'api-keys') && row.apiKeyId !== null ? { id: row.apiKeyId, name: keyNames.get(row.apiKeyId) ?? null } : null,
    person: mayRead(reader, 'members') && row.personId !== null ? { id: row.personId, email: addresses.get(row.personId) ?? null } : null,
  })

const sectionAddress = ({ endpoint }: { endpoint: string }): string => `/${endpoint.split('/', 2)[1] ?? ''}`

const toLogSummary = (row: RequestLogSummaryRow): Omit<Static<typeof LogSummary>, 'api_key' | 'person'> => ({
  id: row.id,
  created_at: toTimestamp(row.createdAt),
  endpoint: row.endpoint,
  method: row.method,
  response_status: row.responseStatus,
  user_agent: row.userAgent,
})

const toLog = (row: RequestLogRow): Omit<Static<typeof Log>, 'api_key' | 'person'> => ({
  object: 'log',
  ...toLogSummary(row),
  request_body: row.requestBody,
  response_body: row.responseBody,
  request_body_truncated: row.requestBodyTruncated,
  response_body_truncated: row.responseBodyTruncated,
})

const operation = declareOperations(LOGS)

export const logRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  app.get(
    '/logs',
    operation({
      id: 'logs.list',
      summary: 'List logs',
      description: `Returns the API requests that the team made, newest first, 20 by default. Requests that read the logs are not logged. ${searchedSentence(LOGS_SEARCHED_MAX)}`,
      access: 'full',
      audit: 'never',
      isLogged: false,
      query: LogListQuery,
      reply: { 200: LogList },
      example: { reply: { object: 'list', has_more: false, data: [LOGS.example] } },
    }),
    async ({ caller, teamId, query }) => {
      // Otherwise a search by path would spell out the paths that are not shown.
      if (query.path !== undefined && !mayReadRequest(caller, query.path)) throw lackingScope('full_access')
      const request = pageRequest(query, 'always')
      const search = logSearch(query, request)
      if (search !== null) {
        const found = await repositories.logSearches.searchPage(teamId, search)
        return toSearchedList(found, logSummaryFor(caller, await callersOf(teamId, found.rows)))
      }
      const page = await repositories.requestLogs.list(teamId, request)
      return toList(page, logSummaryFor(caller, await callersOf(teamId, page.rows)))
    },
  )

  app.get(
    '/logs/:log_id',
    operation({
      id: 'logs.retrieve',
      summary: 'Retrieve a log',
      description:
        'Returns a logged request with both bodies. Secrets are redacted, and values of unknown fields are not kept. An access token sees the bodies and the whole path only with the scope to read that section.',
      access: 'full',
      audit: 'never',
      isLogged: false,
      params: LogParams,
      reply: { 200: Log },
      example: {
        reply: {
          object: 'log',
          ...LOGS.example,
          request_body: { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' },
          response_body: { id: EMAILS.example.id },
          request_body_truncated: false,
          response_body_truncated: false,
        },
      },
    }),
    async ({ caller, teamId, params }) => {
      const log = await repositories.requestLogs.find(teamId, params.log_id)
      if (!log) throw notFound(LOGS.noun)
      return logFor(caller, await callersOf(teamId, [log]))(log)
    },
  )

  async function callersOf(teamId: string, rows: readonly RequestLogSummaryRow[]): Promise<Callers> {
    const keys = new Set(rows.flatMap(({ apiKeyId }) => apiKeyId ?? []))
    const people = new Set(rows.flatMap(({ personId }) => personId ?? []))
    const [keyNames, addresses] = await Promise.all([
      repositories.apiKeys.namesOf(teamId, [...keys]),
      repositories.persons.addressesAcrossTeams([...people]),
    ])
    return { keyNames, addresses }
  }
}

export function logSearch(query: Static<typeof LogListQuery>, request: PageRequest): LogSearch | null {
  if (!hasFilter(query)) return null
  const { since, until } = toTimeRange(query)
  return {
    ...request,
    path: query.path ?? null,
    method: query.method ?? null,
    status: query.status === undefined ? null : toStatusRange(query.status),
    apiKeyId: query.api_key_id?.toLowerCase() ?? null,
    from: since,
    until,
  }
}

/** `404`, or `4xx` for all of them. */
export function toStatusRange(status: string): { from: number; to: number } {
  if (status.endsWith('xx')) return { from: Number(status[0]) * 100, to: Number(status[0]) * 100 + 99 }
  return { from: Number(status), to: Number(status) }
}
