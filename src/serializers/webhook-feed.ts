import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { WebhookContent } from '../repositories/webhooks/webhook-contents.ts'
import type { FeedRow } from '../repositories/webhooks/webhook-feed.ts'
import { mayRead, sectionOfEvent } from '../schemas/oauth-scopes.ts'
import type { WebhookFeed } from '../schemas/webhook-feed.ts'
import { toWebhookPayload } from './webhook-payloads.ts'
import { webhookEventId } from './webhooks.ts'

type Page = { events: { row: FeedRow; content: WebhookContent | null }[]; next: string; hasMore: boolean }

/** A token sees a payload only with the scope to read what it shows. */
export const toFeed = ({ events, next, hasMore }: Page, reader: Parameters<typeof mayRead>[0]): Static<typeof WebhookFeed> => ({
  object: 'list',
  has_more: hasMore,
  data: events.map(({ row, content }) => ({
    id: webhookEventId(row.id),
    type: row.type,
    created_at: toTimestamp(row.createdAt),
    payload: content && mayRead(reader, sectionOfEvent(row.type)) ? toWebhookPayload(content) : null,
  })),
  next,
})
