import { notFound } from '../lib/failure.ts'
import { WEBHOOK_EVENTS } from '../schemas/webhook-events.ts'
import { FEED_EVENTS_DEFAULT, FEED_EXAMPLE, FEED_WAIT_SECONDS_MAX, WebhookFeed, WebhookFeedQuery } from '../schemas/webhook-feed.ts'
import { WEBHOOK_EXAMPLES } from '../schemas/webhook-payloads.ts'
import { WEBHOOKS, WebhookParams } from '../schemas/webhooks.ts'
import { toFeed } from '../serializers/webhook-feed.ts'
import { type Call, operation, routes } from './operation.ts'

export const webhookFeedRoutes = routes(WEBHOOKS, ({ repositories, webhookFeed }) => {
  async function read({ holder, teamId, params, query, gone }: Call<{ params: typeof WebhookParams; query: typeof WebhookFeedQuery }>) {
    const webhook = await repositories.webhooks.find(teamId, params.webhook_id)
    if (!webhook) throw notFound(WEBHOOKS.noun)
    const { after = null, limit = FEED_EVENTS_DEFAULT, wait = 0 } = query
    return toFeed(await webhookFeed.read({ teamId, webhookId: webhook.id, gone: gone() }, { after, limit, waitMs: wait * 1_000 }), holder)
  }

  const { id, type, created_at } = WEBHOOK_EVENTS.example

  return [
    operation({
      id: 'webhooks.feed.list',
      method: 'GET',
      path: '/webhooks/:webhook_id/feed',
      summary: 'Read the feed of a webhook',
      description: `Returns the events of a webhook, oldest first, for programs that have no endpoint. Begin without \`after\`, and continue with the \`next\` of each answer: no event is skipped. With \`wait\`, the answer comes as soon as there is an event, after ${FEED_WAIT_SECONDS_MAX} seconds at most. Several readers may read the same feed, each at its own position.`,
      access: 'full',
      params: WebhookParams,
      query: WebhookFeedQuery,
      expires: true,
      // Its answers are what is kept anyway, and a reader asks all day.
      isLogged: false,
      reply: WebhookFeed,
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
      handle: read,
    }),
  ]
})
