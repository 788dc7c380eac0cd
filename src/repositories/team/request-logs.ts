// Past API requests; in SQL where hundreds are written at once.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { createWriteBehind } from '../../lib/write-behind.ts'
import { type Database, statement } from '../database.ts'
import { type Page, readPage } from '../page.ts'
import { rowArrays } from '../row-arrays.ts'

export type RequestLogEntry = {
  id: string
  teamId: string
  apiKeyId: string | null
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

const summary = { id: true, createdAt: true, endpoint: true, method: true, responseStatus: true, userAgent: true } as const
const whole = {
  ...summary,
  apiKeyId: true,
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
    append: (entry: RequestLogEntry, bytes: number): void => behind.add(entry, bytes),
    flush: (): Promise<void> => behind.flush(),

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
    ...{ id: 'uuid', teamId: 'uuid', apiKeyId: 'uuid', method: 'text', endpoint: 'text', responseStatus: 'int', userAgent: 'text' },
    ...{ requestBody: 'json text', responseBody: 'json text', requestBodyTruncated: 'boolean', responseBodyTruncated: 'boolean' },
    createdAt: 'timestamptz',
  },
  1,
)

const INSERT = statement(
  'log requests',
  `
insert into request_logs (id, team_id, api_key_id, method, endpoint, response_status, user_agent, request_body, response_body,
  request_body_truncated, response_body_truncated, created_at)
select * from ${ROWS.source} as entry on conflict do nothing`,
)
