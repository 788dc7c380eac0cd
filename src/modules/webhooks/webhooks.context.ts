// What webhooks gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { webhookEventRepository } from './events/webhook-events.repository.ts'
import { webhookMetricRepository } from './events/webhook-metrics.repository.ts'
import { type FeedRow, webhookFeedRepository } from './feed/webhook-feed.repository.ts'
import { type WebhookContent, webhookContentRepository } from './payloads/webhook-contents.repository.ts'
import { waitingMessageOfWebhookRepository } from './sending/pending-messages.repository.ts'
import { webhookDeliveryRepository } from './sending/webhook-deliveries.repository.ts'
import type { WebhookEndpoints } from './sending/webhook-endpoints.client.ts'
import type { WebhookRequests } from './sending/webhook-requests.client.ts'
import type { WebhookSecretBox } from './webhook-secrets.ts'
import { webhookRepository } from './webhooks.repository.ts'

/** What happened for webhooks, in an order in which nothing that is committed late is skipped. */
export type WebhookFeedReader = {
  /**
   * @param request `after`: a position, `now`, or null for the beginning of what is kept
   * @throws Failure if `after` is no position or is too old, or too many readers of the team wait or do not read their answers
   */
  read(
    /** `gone`: aborted once the answer was written, or the client has gone. */
    reader: { teamId: string; webhookId: string; gone: AbortSignal },
    request: { after: string | null; limit: number; waitMs: number },
  ): Promise<FeedPage>
  /** Readers that wait get their answers. */
  end(): void
}

/** `next`: the position after its events. The content is null if the message is gone. */
export type FeedPage = { events: { row: FeedRow; content: WebhookContent | null }[]; next: string; hasMore: boolean }

export type WebhooksContext = {
  repositories: ReturnType<typeof webhooksRepositories>
  gateways: {
    webhookEndpoints: WebhookEndpoints
    webhookRequests: WebhookRequests
  }
  webhookSecrets: WebhookSecretBox
  webhookFeed: WebhookFeedReader
}

export const webhooksRepositories = (database: Database, { clock }: { clock: Clock }) => ({
  waitingWebhookMessages: waitingMessageOfWebhookRepository(database),
  webhookContents: webhookContentRepository(database),
  webhookDeliveries: webhookDeliveryRepository(database),
  webhookEvents: webhookEventRepository(database),
  webhookFeed: webhookFeedRepository(database),
  webhookMetrics: webhookMetricRepository(database),
  webhooks: webhookRepository(database, { clock }),
})
