import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import { mayRead, sectionOfEvent } from '../../accounts/scopes.ts'
import { WEBHOOK_EVENTS, webhookEventId } from '../events/webhook-events.schema.ts'
import type { WebhookContent } from '../payloads/webhook-contents.repository.ts'
import { WEBHOOK_EXAMPLES } from '../payloads/webhook-payloads.schema.ts'
import { toWebhookPayload } from '../payloads/webhook-payloads.ts'
import type { WebhooksContext } from '../webhooks.context.ts'
import { WEBHOOKS, WebhookParams } from '../webhooks.schema.ts'
import type { FeedRow } from './webhook-feed.repository.ts'
import { FEED_EVENTS_DEFAULT, FEED_EXAMPLE, FEED_WAIT_SECONDS_MAX, WebhookFeed, WebhookFeedQuery } from './webhook-feed.schema.ts'

type Context = WebhooksContext

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

const operation = declareOperations(WEBHOOKS)

export const webhookFeedRoutes: Routes<Context> = async (app, { context: { repositories, webhookFeed } }) => {
  const { id, type, created_at } = WEBHOOK_EVENTS.example

  app.get(
    '/webhooks/:webhook_id/feed',
    operation({
      id: 'webhooks.feed.list',
      summary: 'Read the feed of a webhook',
      description: `Returns the events of a webhook, oldest first, for programs that have no endpoint. Begin without \`after\`, and continue with the \`next\` of each response: no event is skipped. With \`wait\`, the response comes as soon as there is an event, after ${FEED_WAIT_SECONDS_MAX} seconds at most. Several readers may read the same feed, each at its own position.`,
      access: 'full',
      audit: 'never',
      params: WebhookParams,
      query: WebhookFeedQuery,
      expires: true,
      // Its answers are what is kept anyway, and a reader asks all day.
      isLogged: false,
      reply: { 200: WebhookFeed },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            { id, type, created_at, payload: { type, created_at: '2026-11-20T09:30:00.123Z', data: WEBHOOK_EXAMPLES['email.delivered'] } },
          ],
          ...FEED_EXAMPLE,
        },
      },
    }),
    async ({ caller, teamId, params, query }, { gone }) => {
      const webhook = await repositories.webhooks.find(teamId, params.webhook_id)
      if (!webhook) throw notFound(WEBHOOKS.noun)
      const { after = null, limit = FEED_EVENTS_DEFAULT, wait = 0 } = query
      return toFeed(await webhookFeed.read({ teamId, webhookId: webhook.id, gone: gone() }, { after, limit, waitMs: wait * 1_000 }), caller)
    },
  )
}
