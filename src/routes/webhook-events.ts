import type { Static } from '@sinclair/typebox'
import { invalid } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { timeOfParameter } from '../mail/times/query-times.ts'
import { EXAMPLE_TIME, ListQuery } from '../schemas/common.ts'
import { mayRead, sectionOfEvent } from '../schemas/oauth-scopes.ts'
import {
  REPLAYED_MAX,
  WEBHOOK_EVENTS,
  WebhookAttemptList,
  WebhookEvent,
  WebhookEventList,
  WebhookEventListQuery,
  WebhookEventParams,
  WebhookEventReference,
  WebhookReplay,
  WebhookReplayQuery,
  WebhookTest,
} from '../schemas/webhook-events.ts'
import { WEBHOOK_EXAMPLES } from '../schemas/webhook-payloads.ts'
import { WebhookParams } from '../schemas/webhooks.ts'
import { toList } from '../serializers/list.ts'
import { toWebhookAttempt, toWebhookEvent, toWebhookEventItem } from '../serializers/webhooks.ts'
import {
  findWebhook,
  findWebhookEvent,
  payloadOf,
  replayEvent,
  replayFailed,
  rowIdOfEvent,
  sendSample,
} from '../services/webhook-events.ts'
import { type Call, operation, routes } from './operation.ts'

export const webhookEventRoutes = routes(WEBHOOK_EVENTS, (context) => {
  const { webhookEvents } = context.repositories

  async function list({ teamId, params, query }: Call<{ params: typeof WebhookParams; query: typeof WebhookEventListQuery }>) {
    const { id } = await findWebhook(context, { teamId, webhookId: params.webhook_id })
    const { status, after, limit } = query
    const cursor = after === undefined ? {} : { after: cursorOf(after) }
    const page = pageRequest({ ...(limit !== undefined && { limit }), ...cursor }, 'always')
    return toList(await webhookEvents.list(id, status ?? null, page), toWebhookEventItem)
  }

  async function retrieve({ holder, teamId, params }: Call<{ params: typeof WebhookEventParams }>) {
    const event = await findWebhookEvent(context, referenceOf(teamId, params))
    if (!mayRead(holder, sectionOfEvent(event.type))) return toWebhookEvent(event, null)
    return toWebhookEvent(event, await payloadOf(context, { webhookId: params.webhook_id, messageId: event.id }))
  }

  async function attempts({ teamId, params, query }: Call<{ params: typeof WebhookEventParams; query: typeof ListQuery }>) {
    const { id } = await findWebhookEvent(context, referenceOf(teamId, params))
    return toList(await webhookEvents.attemptsOf(params.webhook_id, id, pageRequest(query, 'always')), toWebhookAttempt)
  }

  async function replay({ teamId, params }: Call<{ params: typeof WebhookEventParams }>) {
    return { object: 'webhook_event' as const, id: await replayEvent(context, referenceOf(teamId, params)) }
  }

  async function replaySince({ teamId, params, query }: Call<{ params: typeof WebhookParams; query: typeof WebhookReplayQuery }>) {
    const since = query.since === undefined ? new Date(0) : timeOfParameter('since', query.since)
    const { queued, hasMore } = await replayFailed(context, { teamId, webhookId: params.webhook_id }, since)
    return { object: 'webhook_replay' as const, queued, has_more: hasMore }
  }

  async function test({ teamId, params, body }: Call<{ params: typeof WebhookParams; body: typeof WebhookTest }>) {
    return { object: 'webhook_event' as const, id: await sendSample(context, { teamId, webhookId: params.webhook_id }, body.type) }
  }

  const reference = { object: 'webhook_event' as const, id: WEBHOOK_EVENTS.example.id }

  return [
    operation({
      id: 'webhooks.events.list',
      method: 'GET',
      path: '/webhooks/:webhook_id/events',
      summary: 'List the events of a webhook',
      description:
        'Returns the events of a webhook since it was created, newest first, 20 by default. Events are kept as long as request logs.',
      access: 'full',
      params: WebhookParams,
      query: WebhookEventListQuery,
      reply: WebhookEventList,
      example: { reply: { object: 'list', has_more: false, data: [WEBHOOK_EVENTS.example] } },
      handle: list,
    }),
    operation({
      id: 'webhooks.events.retrieve',
      method: 'GET',
      path: '/webhooks/:webhook_id/events/:webhook_event_id',
      summary: 'Retrieve an event of a webhook',
      description: 'Returns an event of a webhook with its payload.',
      access: 'full',
      params: WebhookEventParams,
      reply: WebhookEvent,
      example: {
        reply: {
          object: 'webhook_event',
          ...WEBHOOK_EVENTS.example,
          ...{ next_attempt_at: null, held_by: null, failed_reason: null },
          payload: { type: 'email.delivered', created_at: '2026-11-20T09:30:00.123Z', data: WEBHOOK_EXAMPLES['email.delivered'] },
        },
      },
      handle: retrieve,
    }),
    operation({
      id: 'webhooks.events.attempts.list',
      method: 'GET',
      path: '/webhooks/:webhook_id/events/:webhook_event_id/attempts',
      summary: 'List the attempts to send an event',
      description: 'Returns the requests that were made for an event, and how the endpoint answered, newest first.',
      access: 'full',
      params: WebhookEventParams,
      query: ListQuery,
      reply: WebhookAttemptList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              id: '0193a5c2-8100-7a2b-8c3d-4e5f60718293',
              http_status_code: 200,
              response: 'ok',
              error: null,
              sent_at: EXAMPLE_TIME,
              outcome: 'success',
              duration_ms: 87,
            },
          ],
        },
      },
      handle: attempts,
    }),
    operation({
      id: 'webhooks.events.replay',
      method: 'POST',
      path: '/webhooks/:webhook_id/events/:webhook_event_id/replay',
      summary: 'Replay an event',
      description:
        'Sends an event again, even if it was accepted. It is not retried. If the event waits for a retry, that retry begins now.',
      access: 'full',
      params: WebhookEventParams,
      expires: true,
      reply: WebhookEventReference,
      example: { reply: reference },
      handle: replay,
    }),
    operation({
      id: 'webhooks.replay',
      method: 'POST',
      path: '/webhooks/:webhook_id/replay',
      summary: 'Replay the events that failed',
      description: `Queues the failed events since a time again, oldest first and one after the other: at most ${REPLAYED_MAX.toLocaleString('en')} per request. Events that earlier requests queued are sent first. They are retried like new ones, in order if the webhook is ordered.`,
      access: 'full',
      params: WebhookParams,
      query: WebhookReplayQuery,
      reply: WebhookReplay,
      example: { reply: { object: 'webhook_replay', queued: 42, has_more: false } },
      handle: replaySince,
    }),
    operation({
      id: 'webhooks.test',
      method: 'POST',
      path: '/webhooks/:webhook_id/test',
      summary: 'Send a sample to a webhook',
      description:
        'Sends a sample of an event, whatever types the webhook asks for, or puts it into the feed if there is no endpoint. Its payload says `"test": true`. It is not retried.',
      access: 'full',
      status: 201,
      params: WebhookParams,
      body: WebhookTest,
      reply: WebhookEventReference,
      example: { body: { type: 'email.delivered' }, reply: reference },
      handle: test,
    }),
  ]
})

const referenceOf = (teamId: string, { webhook_id, webhook_event_id }: Static<typeof WebhookEventParams>) => ({
  teamId,
  webhookId: webhook_id,
  eventId: webhook_event_id,
})

function cursorOf(eventId: string): string {
  const id = rowIdOfEvent(eventId)
  if (id === null) throw invalid('The `after` parameter must be the id of an event, such as msg_AZOlwn1OexqcPy5dimtMEA.')
  return id
}
