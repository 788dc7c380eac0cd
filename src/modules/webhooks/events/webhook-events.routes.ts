import type { Static } from '@sinclair/typebox'
import { timeOfParameter } from '../../../http/list-filters.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { invalid } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { EXAMPLE_TIME, ListQuery } from '../../../lib/validation/common.schema.ts'
import { mayRead, sectionOfEvent } from '../../accounts/scopes.ts'
import { WEBHOOK_EXAMPLES } from '../payloads/webhook-payloads.schema.ts'
import type { WebhooksContext } from '../webhooks.context.ts'
import { WebhookParams } from '../webhooks.schema.ts'
import { toWebhookAttempt, toWebhookEvent, toWebhookEventItem } from './webhook-events.repository.ts'
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
} from './webhook-events.schema.ts'
import {
  findPayload,
  findWebhook,
  findWebhookEvent,
  replayEvent,
  replayFailed,
  rowIdOfEvent,
  sendSample,
} from './webhook-events.service.ts'

type Context = PlatformContext & WebhooksContext

const operation = declareOperations(WEBHOOK_EVENTS)

export const webhookEventRoutes: Routes<Context> = async (app, { context }) => {
  const { webhookEvents } = context.repositories

  const reference = { object: 'webhook_event' as const, id: WEBHOOK_EVENTS.example.id }

  app.get(
    '/webhooks/:webhook_id/events',
    operation({
      id: 'webhooks.events.list',
      summary: 'List the events of a webhook',
      description:
        'Returns the events of a webhook since it was created, newest first, 20 by default. Events are kept as long as request logs.',
      access: 'full',
      audit: 'never',
      params: WebhookParams,
      query: WebhookEventListQuery,
      reply: { 200: WebhookEventList },
      example: { reply: { object: 'list', has_more: false, data: [WEBHOOK_EVENTS.example] } },
    }),
    async ({ teamId, params, query }) => {
      const { id } = await findWebhook(context, { teamId, webhookId: params.webhook_id })
      const { status, after, limit } = query
      const cursor = after === undefined ? {} : { after: toCursor(after) }
      const page = pageRequest({ ...(limit !== undefined && { limit }), ...cursor }, 'always')
      return toList(await webhookEvents.list(id, status ?? null, page), toWebhookEventItem)
    },
  )

  app.get(
    '/webhooks/:webhook_id/events/:webhook_event_id',
    operation({
      id: 'webhooks.events.retrieve',
      summary: 'Retrieve an event of a webhook',
      description: 'Returns an event of a webhook with its payload.',
      access: 'full',
      audit: 'never',
      params: WebhookEventParams,
      reply: { 200: WebhookEvent },
      example: {
        reply: {
          object: 'webhook_event',
          ...WEBHOOK_EVENTS.example,
          ...{ next_attempt_at: null, held_by: null, failed_reason: null },
          payload: { type: 'email.delivered', created_at: '2026-11-20T09:30:00.123Z', data: WEBHOOK_EXAMPLES['email.delivered'] },
        },
      },
    }),
    async ({ caller, teamId, params }) => {
      const event = await findWebhookEvent(context, toReference(teamId, params))
      if (!mayRead(caller, sectionOfEvent(event.type))) return toWebhookEvent(event, null)
      return toWebhookEvent(event, await findPayload(context, { webhookId: params.webhook_id, messageId: event.id }))
    },
  )

  app.get(
    '/webhooks/:webhook_id/events/:webhook_event_id/attempts',
    operation({
      id: 'webhooks.events.attempts.list',
      summary: 'List the attempts to send an event',
      description: 'Returns the requests that were made for an event, and how the endpoint answered, newest first.',
      access: 'full',
      audit: 'never',
      params: WebhookEventParams,
      query: ListQuery,
      reply: { 200: WebhookAttemptList },
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
    }),
    async ({ teamId, params, query }) => {
      const { id } = await findWebhookEvent(context, toReference(teamId, params))
      return toList(await webhookEvents.attemptsOf(params.webhook_id, id, pageRequest(query, 'always')), toWebhookAttempt)
    },
  )

  app.post(
    '/webhooks/:webhook_id/events/:webhook_event_id/replay',
    operation({
      id: 'webhooks.events.replay',
      summary: 'Replay an event',
      description:
        'Sends an event again, even if it was accepted. It is not retried. If the event waits for a retry, that retry begins now.',
      access: 'full',
      audit: 'people',
      params: WebhookEventParams,
      expires: true,
      reply: { 200: WebhookEventReference },
      example: { reply: reference },
    }),
    async ({ teamId, params }) => {
      return { object: 'webhook_event' as const, id: await replayEvent(context, toReference(teamId, params)) }
    },
  )

  app.post(
    '/webhooks/:webhook_id/replay',
    operation({
      id: 'webhooks.replay',
      summary: 'Replay the events that failed',
      description: `Queues the failed events since a time again, oldest first and one after the other: at most ${REPLAYED_MAX.toLocaleString('en')} per request. Events that earlier requests queued are sent first. They are retried like new ones, in order if the webhook is ordered.`,
      access: 'full',
      audit: 'people',
      params: WebhookParams,
      query: WebhookReplayQuery,
      reply: { 200: WebhookReplay },
      example: { reply: { object: 'webhook_replay', queued: 42, has_more: false } },
    }),
    async ({ teamId, params, query }) => {
      const since = query.since === undefined ? new Date(0) : timeOfParameter('since', query.since)
      const { queued, hasMore } = await replayFailed(context, { teamId, webhookId: params.webhook_id }, since)
      return { object: 'webhook_replay' as const, queued, has_more: hasMore }
    },
  )

  app.post(
    '/webhooks/:webhook_id/test',
    operation({
      id: 'webhooks.test',
      summary: 'Send a sample to a webhook',
      description:
        'Sends a sample of an event, whatever types the webhook asks for, or puts it into the feed if there is no endpoint. Its payload says `"test": true`. It is not retried.',
      access: 'full',
      audit: 'people',
      params: WebhookParams,
      body: WebhookTest,
      reply: { 201: WebhookEventReference },
      example: { body: { type: 'email.delivered' }, reply: reference },
    }),
    async ({ teamId, params, body }) => {
      return { object: 'webhook_event' as const, id: await sendSample(context, { teamId, webhookId: params.webhook_id }, body.type) }
    },
  )
}

const toReference = (teamId: string, { webhook_id, webhook_event_id }: Static<typeof WebhookEventParams>) => ({
  teamId,
  webhookId: webhook_id,
  eventId: webhook_event_id,
})

function toCursor(eventId: string): string {
  const id = rowIdOfEvent(eventId)
  if (id === null) throw invalid('The `after` parameter must be the id of an event, such as msg_AZOlwn1OexqcPy5dimtMEA.')
  return id
}
