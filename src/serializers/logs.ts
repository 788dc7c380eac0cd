import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { RequestLogRow, RequestLogSummaryRow } from '../repositories/team/request-logs.ts'
import type { Log, LogSummary } from '../schemas/logs.ts'
import { mayReadRequest } from '../schemas/oauth-scopes.ts'

type Reader = Parameters<typeof mayReadRequest>[0]

/** An address names records and people, and the bodies hold them: a token sees both with the scope of their section only. */
export const logFor =
  (reader: Reader) =>
  (row: RequestLogRow): Static<typeof Log> => {
    if (mayReadRequest(reader, row.endpoint)) return toLog(row)
    return { ...toLog(row), endpoint: sectionAddress(row), request_body: null, response_body: null }
  }

export const logSummaryFor =
  (reader: Reader) =>
  (row: RequestLogSummaryRow): Static<typeof LogSummary> =>
    mayReadRequest(reader, row.endpoint) ? toLogSummary(row) : { ...toLogSummary(row), endpoint: sectionAddress(row) }

const sectionAddress = ({ endpoint }: { endpoint: string }): string => `/${endpoint.split('/', 2)[1] ?? ''}`

const toLogSummary = (row: RequestLogSummaryRow): Static<typeof LogSummary> => ({
  id: row.id,
  created_at: toTimestamp(row.createdAt),
  endpoint: row.endpoint,
  method: row.method,
  response_status: row.responseStatus,
  user_agent: row.userAgent,
})

const toLog = (row: RequestLogRow): Static<typeof Log> => ({
  object: 'log',
  ...toLogSummary(row),
  request_body: row.requestBody,
  response_body: row.responseBody,
  request_body_truncated: row.requestBodyTruncated,
  response_body_truncated: row.responseBodyTruncated,
})
