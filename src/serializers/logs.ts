import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { RequestLogRow, RequestLogSummaryRow } from '../repositories/team/request-logs.ts'
import type { Log, LogSummary } from '../schemas/logs.ts'

export const toLogSummary = (row: RequestLogSummaryRow): Static<typeof LogSummary> => ({
  id: row.id,
  created_at: toTimestamp(row.createdAt),
  endpoint: row.endpoint,
  method: row.method,
  response_status: row.responseStatus,
  user_agent: row.userAgent,
})

export const toLog = (row: RequestLogRow): Static<typeof Log> => ({
  object: 'log',
  ...toLogSummary(row),
  request_body: row.requestBody,
  response_body: row.responseBody,
  request_body_truncated: row.requestBodyTruncated,
  response_body_truncated: row.responseBodyTruncated,
})
