import { Failure, invalid, notFound } from '../lib/failure.ts'
import { createId, idTime } from '../lib/ids.ts'
import { pageRequest } from '../lib/page-request.ts'
import { idOfShort } from '../lib/short-ids.ts'
import type { WebhookRow } from '../repositories/webhooks/webhooks.ts'
import { EXAMPLE_TIME, ListQuery } from '../schemas/common.ts'
import {
  REPLAYED_EVERY_MS,
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
import { WEBHOOKS, WebhookParams } from '../schemas/webhooks.ts'
import { toList } from '../serializers/list.ts'
import { toWebhookPayload } from '../serializers/webhook-payloads.ts'
import { toWebhookAttempt, toWebhookEvent, toWebhookEventItem, webhookEventId } from '../serializers/webhooks.ts'
import { type Call, operation, routes } from './operation.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

export const webhookEventRoutes = routes(WEBHOOK_EVENTS, ({ repositories, clock, config, wakeWorkers }) => {
  const { webhooks, webhookEvents, webhookContents, waitingWebhookMessages } = repositories

  async function webhookOf(teamId: string, id: string, noun: string = WEBHOOKS.noun): Promise<WebhookRow> {
    const webhook = await webhooks.find(teamId, id)
    if (!webhook) throw notFound(noun)
    return webhook
  }

  /** Only what is enabled and has an endpoint can be sent to. */
  function checkSendable({ status, endpoint }: WebhookRow): void {
    if (endpoint === null) throw invalid('This webhook has no endpoint: read its events from its feed.')
    if (status === 'disabled') throw invalid('This webhook is disabled. Enable it first.')
  }

  function uuidOf(eventId: string): string {
    const id = eventId.startsWith('msg_') ? idOfShort(eventId.slice('msg_'.length)) : null
    if (id === null) throw notFound(WEBHOOK_EVENTS.noun)
    return id
  }

  async function list({ teamId, params, query }: Call<{ params: typeof WebhookParams; query: typeof WebhookEventListQuery }>) {
    const { id } = await webhookOf(teamId, params.webhook_id)
    const { status, after, ...rest } = query
    const page = pageRequest({ ...rest, ...(after !== undefined && { after: cursorOf(after) }) }, 'always')
    return toList(await webhookEvents.list(id, status ?? null, page), toWebhookEventItem)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof WebhookEventParams }>) {
    const { id } = await webhookOf(teamId, params.webhook_id, WEBHOOK_EVENTS.noun)
    const event = await webhookEvents.find(id, uuidOf(params.webhook_event_id))
    if (!event) throw notFound(WEBHOOK_EVENTS.noun)
    const contents = await webhookContents.ofAcrossTeams([{ webhookId: id, messageId: event.id }])
    const content = contents.get(event.id)
    return toWebhookEvent(event, content ? toWebhookPayload(content) : null)
  }

  async function attempts({ teamId, params, query }: Call<{ params: typeof WebhookEventParams; query: typeof ListQuery }>) {
    const { id } = await webhookOf(teamId, params.webhook_id, WEBHOOK_EVENTS.noun)
    const event = await webhookEvents.find(id, uuidOf(params.webhook_event_id))
    if (!event) throw notFound(WEBHOOK_EVENTS.noun)
    return toList(await webhookEvents.attemptsOf(id, event.id, pageRequest(query, 'always')), toWebhookAttempt)
  }

  async function replay({ teamId, params }: Call<{ params: typeof WebhookEventParams }>) {
    const webhook = await webhookOf(teamId, params.webhook_id, WEBHOOK_EVENTS.noun)
    const id = uuidOf(params.webhook_event_id)
    if (idTime(id).getTime() < clock.now().getTime() - config.logRetentionDays * DAY_MS)
      throw new Failure('gone', `Events are kept for ${config.logRetentionDays} days. This one can no longer be sent.`)
    checkSendable(webhook)
    if (!(await waitingWebhookMessages.replay(webhook.id, id, clock.now()))) throw notFound(WEBHOOK_EVENTS.noun)
    wakeWorkers()
    return { object: 'webhook_event' as const, id: webhookEventId(id) }
  }

  async function replaySince({ teamId, params, query }: Call<{ params: typeof WebhookParams; query: typeof WebhookReplayQuery }>) {
    const webhook = await webhookOf(teamId, params.webhook_id)
    const since = new Date(query.since ?? 0)
    if (Number.isNaN(since.getTime())) throw invalid('The `since` parameter must be a time in ISO 8601, such as 2026-11-20T09:30:00Z.')
    checkSendable(webhook)
    const queued = await waitingWebhookMessages.replaySince(webhook.id, since, {
      now: clock.now(),
      max: REPLAYED_MAX,
      everyMs: REPLAYED_EVERY_MS,
    })
    wakeWorkers()
    return { object: 'webhook_replay' as const, queued }
  }

  async function test({ teamId, params, body }: Call<{ params: typeof WebhookParams; body: typeof WebhookTest }>) {
    const webhook = await webhookOf(teamId, params.webhook_id)
    checkSendable(webhook)
    const messageId = createId(clock)
    await waitingWebhookMessages.addTest(webhook.id, { messageId, teamId, type: body.type }, clock.now())
    wakeWorkers()
    return { object: 'webhook_event' as const, id: webhookEventId(messageId) }
  }

  const reference = { object: 'webhook_event' as const, id: WEBHOOK_EVENTS.example.id }

  return [
    operation({
      id: 'webhooks.events.list',
      method: 'GET',
      path: '/webhooks/:webhook_id/events',
      summary: 'List the events of a webhook',
      description:
        'Returns what happened for a webhook since it was created, newest first, 20 by default. Events are kept as long as request logs.',
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
        'Sends an event again, also one that was accepted. It is not retried. If the event waits for a retry, that retry begins now.',
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
      description: `Queues again the events that were given up since a time, oldest first and one after the other: at most ${REPLAYED_MAX.toLocaleString('en')} a call. They are retried like new ones.`,
      access: 'full',
      params: WebhookParams,
      query: WebhookReplayQuery,
      reply: WebhookReplay,
      example: { reply: { object: 'webhook_replay', queued: 42 } },
      handle: replaySince,
    }),
    operation({
      id: 'webhooks.test',
      method: 'POST',
      path: '/webhooks/:webhook_id/test',
      summary: 'Send a sample to a webhook',
      description: 'Sends a sample of an event, whatever types the webhook asks for. Its payload says `"test": true`. It is not retried.',
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

/** A position that no event has is at the beginning of time, so nothing follows it. */
function cursorOf(eventId: string): string {
  const id = eventId.startsWith('msg_') ? idOfShort(eventId.slice('msg_'.length)) : null
  if (id === null) throw invalid('The `after` parameter must be the id of an event, such as msg_AZOlwn1OexqcPy5dimtMEA.')
  return id
}
