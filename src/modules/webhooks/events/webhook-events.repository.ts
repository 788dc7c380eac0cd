// What a webhook was, or is to be, told; in SQL, because the state of a message follows from three tables.

import type { Static } from '@sinclair/typebox'
import { oneOf } from '../../../db/columns.ts'
import type { Database } from '../../../db/database.ts'
import { boundOf, readPage } from '../../../db/page.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { isWebhookEventType, type WebhookEventType } from '../webhooks.schema.ts'
import {
  WEBHOOK_ATTEMPT_OUTCOMES,
  type WebhookAttempt,
  type WebhookAttemptOutcome,
  type WebhookEvent,
  type WebhookEventItem,
  type WebhookEventStatus,
  webhookEventId,
} from './webhook-events.schema.ts'

export type WebhookEventRow = {
  id: string
  type: WebhookEventType
  subjectId: string
  isTest: boolean
  createdAt: Date
  status: WebhookEventStatus
  /** When it is tried next; null if it is not, or is being tried. */
  dueAt: Date | null
  /** The message about the same subject that is to be delivered before it. */
  heldBy: string | null
  /** Why it was given up. */
  failure: string | null
}

export type WebhookAttemptRow = {
  id: string
  /** Null while it runs. */
  outcome: WebhookAttemptOutcome | null
  httpStatus: number | null
  response: string | null
  error: string | null
  durationMs: number | null
  startedAt: Date
}

const attemptColumns = {
  id: true,
  outcome: true,
  httpStatus: true,
  response: true,
  error: true,
  durationMs: true,
  startedAt: true,
} as const

export function webhookEventRepository({ tables, execute }: Pick<Database, 'tables' | 'execute'>) {
  return {
    async find(webhookId: string, id: string): Promise<WebhookEventRow | null> {
      const [row] = await execute<Stored>(`${SELECT} where m.webhook_id = $1 and m.id = $2`, [webhookId, id])
      return row ? toRow(row) : null
    },

    /** Newest first; only those of one status if it is given. */
    list(webhookId: string, status: WebhookEventStatus | null, request: PageRequest): Promise<Page<WebhookEventRow>> {
      return readPage(request, async (keyset) => {
        const compare = keyset.orderBy.id === 'asc' ? '>' : '<'
        const rows = await execute<Stored>(
          `${SELECT} where m.webhook_id = $1 and ($2::uuid is null or m.id ${compare} $2) ${OF_STATUS[status ?? 'any']} order by m.id ${keyset.orderBy.id} limit $3`,
          [webhookId, boundOf(keyset), keyset.take],
        )
        return rows.map(toRow)
      })
    },

    attemptsOf(webhookId: string, messageId: string, request: PageRequest): Promise<Page<WebhookAttemptRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.webhookAttempt.findMany({ where: { webhookId, messageId, ...where }, select: attemptColumns, ...rest })
        return rows.map(({ outcome, ...row }) => ({ ...row, outcome: outcome === null ? null : oneOf(WEBHOOK_ATTEMPT_OUTCOMES, outcome) }))
      })
    },
  }
}

type Stored = Omit<WebhookEventRow, 'type'> & { type: string }

const toRow = (row: Stored): WebhookEventRow => {
  const { type } = row
  if (!isWebhookEventType(type)) throw new Error(`An event of a webhook has the unknown type ${type}`)
  return { ...row, type }
}

// A message that neither waits nor was given up was delivered.
const SELECT = `
select m.id, m.type, m.subject_id as "subjectId", m.is_test as "isTest", m.created_at as "createdAt",
  case when d.leased_by is not null then 'attempting' when d.seq is not null then 'pending' when f.message_id is not null then 'failed' else 'success' end as status,
  case when d.leased_by is null then d.due_at end as "dueAt", f.reason as failure,
  (select e.message_id from webhook_deliveries e where d.is_ordered and e.is_ordered and e.webhook_id = d.webhook_id and e.subject_id = d.subject_id and e.seq < d.seq
   order by e.seq limit 1) as "heldBy"
from webhook_messages m
left join webhook_deliveries d on d.webhook_id = m.webhook_id and d.message_id = m.id
left join webhook_failures f on f.webhook_id = m.webhook_id and f.message_id = m.id`

// A status that few events have is found in a table of its own.
const OF_STATUS: Record<WebhookEventStatus | 'any', string> = {
  any: '',
  success: 'and d.seq is null and f.message_id is null',
  failed: 'and d.seq is null and m.id in (select message_id from webhook_failures where webhook_id = $1)',
  pending: 'and m.id in (select message_id from webhook_deliveries where webhook_id = $1 and leased_by is null)',
  attempting: 'and m.id in (select message_id from webhook_deliveries where webhook_id = $1 and leased_by is not null)',
}

export const toWebhookEventItem = ({ id, type, createdAt, status }: WebhookEventRow): Static<typeof WebhookEventItem> => ({
  id: webhookEventId(id),
  type,
  created_at: toTimestamp(createdAt),
  status,
})

export const toWebhookEvent = (row: WebhookEventRow, payload: Static<typeof WebhookEvent>['payload']): Static<typeof WebhookEvent> => ({
  object: 'webhook_event',
  ...toWebhookEventItem(row),
  next_attempt_at: toTimestamp(row.dueAt),
  held_by: row.heldBy && webhookEventId(row.heldBy),
  failed_reason: row.failure,
  payload,
})

export const toWebhookAttempt = (row: WebhookAttemptRow): Static<typeof WebhookAttempt> => ({
  id: row.id,
  http_status_code: row.httpStatus,
  response: row.response ?? '',
  error: row.error,
  sent_at: toTimestamp(row.startedAt),
  outcome: row.outcome ?? 'running',
  duration_ms: row.durationMs,
})
