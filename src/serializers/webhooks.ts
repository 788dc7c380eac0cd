import type { Static } from '@sinclair/typebox'
import { shortId } from '../lib/short-ids.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { WebhookAttemptRow, WebhookEventRow } from '../repositories/webhooks/webhook-events.ts'
import type { WebhookRow } from '../repositories/webhooks/webhooks.ts'
import type { WebhookAttempt, WebhookEvent, WebhookEventItem } from '../schemas/webhook-events.ts'
import type { Webhook, WebhookSummary } from '../schemas/webhooks.ts'

export const toWebhookSummary = ({ id, endpoint, events, status, createdAt }: WebhookRow): Static<typeof WebhookSummary> => ({
  id,
  endpoint,
  events,
  status,
  created_at: toTimestamp(createdAt),
})

export const toWebhook = (row: WebhookRow, signingSecret: string): Static<typeof Webhook> => ({
  object: 'webhook',
  ...toWebhookSummary(row),
  signing_secret: signingSecret,
  ordered: row.isOrdered,
  concurrency: row.concurrency,
  last_success_at: toTimestamp(row.lastSuccessAt),
  last_failure_at: toTimestamp(row.lastFailureAt),
  failing_since: toTimestamp(row.failingSince),
  disabled_reason: row.disabledReason,
})

/** The id as the header `svix-id` has it. */
export const webhookEventId = (id: string): string => `msg_${shortId(id)}`

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
