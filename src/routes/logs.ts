import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { LOGS_SEARCHED_MAX } from '../lib/search-bounds.ts'
import { EMAILS } from '../schemas/emails.ts'
import { searchedSentence } from '../schemas/list-filters.ts'
import { LOGS, Log, LogList, LogListQuery, LogParams } from '../schemas/logs.ts'
import { lackingScope, mayReadRequest } from '../schemas/oauth-scopes.ts'
import { toList, toSearchedList } from '../serializers/list.ts'
import { logFor, logSummaryFor } from '../serializers/logs.ts'
import { logSearch } from '../services/list-filters.ts'
import { type Call, operation, routes } from './operation.ts'

export const logRoutes = routes(LOGS, ({ repositories }) => {
  async function list({ holder, teamId, query }: Call<{ query: typeof LogListQuery }>) {
    // Otherwise a search by path would spell out the paths that are not shown.
    if (query.path !== undefined && !mayReadRequest(holder, query.path)) throw lackingScope('full_access')
    const request = pageRequest(query, 'always')
    const sought = logSearch(query, request)
    if (sought === null) return toList(await repositories.requestLogs.list(teamId, request), logSummaryFor(holder))
    return toSearchedList(await repositories.logSearches.searchPage(teamId, sought), logSummaryFor(holder))
  }

  async function retrieve({ holder, teamId, params }: Call<{ params: typeof LogParams }>) {
    const log = await repositories.requestLogs.find(teamId, params.log_id)
    if (!log) throw notFound(LOGS.noun)
    return logFor(holder)(log)
  }

  return [
    operation({
      id: 'logs.list',
      method: 'GET',
      path: '/logs',
      summary: 'List logs',
      description: `Returns the API requests that the team made, newest first, 20 by default. Requests that read the logs are not logged. ${searchedSentence(LOGS_SEARCHED_MAX)}`,
      access: 'full',
      isLogged: false,
      query: LogListQuery,
      reply: LogList,
      example: { reply: { object: 'list', has_more: false, data: [LOGS.example] } },
      handle: list,
    }),
    operation({
      id: 'logs.retrieve',
      method: 'GET',
      path: '/logs/:log_id',
      summary: 'Retrieve a log',
      description:
        'Returns a logged request with both bodies. Secrets are redacted, and values of unknown fields are not kept. An access token sees the bodies and the whole path only with the scope to read that section.',
      access: 'full',
      isLogged: false,
      params: LogParams,
      reply: Log,
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
      handle: retrieve,
    }),
  ]
})
