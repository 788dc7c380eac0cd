import type { Context } from '../context.ts'
import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { ListQuery } from '../schemas/common.ts'
import { Log, LogList, LogParams } from '../schemas/logs.ts'
import { toList } from '../serializers/list.ts'
import { toLog, toLogSummary } from '../serializers/logs.ts'
import { EXAMPLE_EMAIL_ID, EXAMPLE_TIME } from './examples.ts'
import { type Call, type Operation, operation } from './operation.ts'

export function logRoutes({ repositories }: Context): Operation[] {
  async function list({ teamId, query }: Call<{ query: typeof ListQuery }>) {
    return toList(await repositories.requestLogs.list(teamId, pageRequest(query, 'always')), toLogSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof LogParams }>) {
    const log = await repositories.requestLogs.find(teamId, params.log_id)
    if (!log) throw notFound('Log')
    return toLog(log)
  }

  const example = {
    id: '0193a5c2-9a10-7d2e-b3c4-5d6e7f809112',
    created_at: EXAMPLE_TIME,
    endpoint: '/emails',
    method: 'POST',
    response_status: 200,
    user_agent: 'resend-node:6.38.0',
  }

  return [
    operation({
      id: 'logs.list',
      method: 'GET',
      path: '/logs',
      tag: 'Logs',
      summary: 'List logs',
      description: 'Returns the API requests that the team made, newest first, 20 by default. Requests that read the logs are not logged.',
      access: 'full',
      isLogged: false,
      query: ListQuery,
      reply: LogList,
      example: { reply: { object: 'list', has_more: false, data: [example] } },
      handle: list,
    }),
    operation({
      id: 'logs.retrieve',
      method: 'GET',
      path: '/logs/:log_id',
      tag: 'Logs',
      summary: 'Retrieve a log',
      description: 'Returns a logged request with both bodies. Secrets are redacted, and values of unknown fields are not kept.',
      access: 'full',
      isLogged: false,
      params: LogParams,
      reply: Log,
      example: {
        reply: {
          object: 'log',
          ...example,
          request_body: { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' },
          response_body: { id: EXAMPLE_EMAIL_ID },
          request_body_truncated: false,
          response_body_truncated: false,
        },
      },
      handle: retrieve,
    }),
  ]
}
