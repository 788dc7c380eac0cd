import { Type } from '@sinclair/typebox'
import { Resource } from '../../../http/resource.ts'
import { shortId } from '../../../lib/ids.ts'
import { Enum, EXAMPLE_TIME, Kind, List, ListQuery, Named, Nullable, Ref, Timestamp } from '../../../lib/validation/common.schema.ts'
import { WebhookPayload } from '../payloads/webhook-payloads.schema.ts'
import { WEBHOOK_EVENT_TYPES, WEBHOOKS, WebhookParams } from '../webhooks.schema.ts'

export const WEBHOOK_EVENT_STATUSES = ['success', 'pending', 'failed', 'attempting'] as const
export type WebhookEventStatus = (typeof WEBHOOK_EVENT_STATUSES)[number]

/** Messages that one replay queues again. */
export const REPLAYED_MAX = 10_000
/** Between two of them. */
export const REPLAYED_EVERY_MS = 10

export const EXAMPLE_EVENT_ID = 'msg_AZOlwn1OexqcPy5dimtMEA'
const eventId = (description: string) => Type.String({ description, examples: [EXAMPLE_EVENT_ID] })
const STATUS_WORDS =
  '`pending`: the event is sent at `next_attempt_at`. `attempting`: it is being sent. `success`: the endpoint accepted it, or it can be read from the feed. `failed`: all attempts failed.'

const fields = {
  id: eventId('Id of the event, which its requests carry as `svix-id`: the same for every attempt.'),
  type: Enum([...WEBHOOK_EVENT_TYPES], { description: 'Type of the event.' }),
  created_at: Timestamp('When it happened.'),
  status: Enum([...WEBHOOK_EVENT_STATUSES], { description: STATUS_WORDS }),
}

export const WebhookEventItem = Named('WebhookEventItem', Type.Object(fields, { description: 'An event of a webhook, as lists show it.' }))
export const WebhookEvent = Named(
  'WebhookEvent',
  Type.Object(
    {
      object: Kind('webhook_event'),
      ...fields,
      next_attempt_at: Nullable(Timestamp('When the next attempt is due; null if there is none.')),
      held_by: Nullable(
        eventId(
          'The earlier event of the same email or contact that must be accepted first, if the webhook is `ordered`; null if there is none.',
        ),
      ),
      failed_reason: Nullable(Type.String({ description: 'Why the event failed; null if it did not.' })),
      payload: Nullable(Ref(WebhookPayload), {
        description:
          'The payload that is sent; null if it is no longer kept, and for an access token without the scope to read what it shows.',
      }),
    },
    { description: 'An event of a webhook.' },
  ),
)

export const WEBHOOK_EVENTS = Resource({
  tag: WEBHOOKS.tag,
  noun: 'Event',
  parameter: 'webhook_event_id',
  item: WebhookEventItem,
  example: { id: EXAMPLE_EVENT_ID, type: 'email.delivered', created_at: EXAMPLE_TIME, status: 'success' },
})

export const WebhookEventParams = Type.Composite([WebhookParams, Type.Object({ webhook_event_id: eventId('Id of the event.') })])
export const WebhookEventListQuery = Type.Object({
  limit: ListQuery.properties.limit,
  after: Type.Optional(Type.String({ description: 'Return the events after the one with this id: older ones.' })),
  status: Type.Optional(Enum([...WEBHOOK_EVENT_STATUSES], { description: `Return only events in this state. ${STATUS_WORDS}` })),
})
export const WebhookEventList = List('WebhookEventList', 'events', WebhookEventItem)
export const WebhookEventReference = Named(
  'WebhookEventReference',
  Type.Object({ object: Kind('webhook_event'), id: fields.id }, { description: 'Identifies the event.' }),
)

export const WebhookTest = Named(
  'WebhookTest',
  Type.Object(
    { type: Enum([...WEBHOOK_EVENT_TYPES], { description: 'The type of the sample.' }) },
    { description: 'The sample to send.', examples: [{ type: 'email.delivered' }] },
  ),
)

export const WebhookReplayQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      description: 'Queue only events that failed since this time: ISO 8601, such as 2026-11-20T09:30:00Z. By default, all that are kept.',
    }),
  ),
})
export const WebhookReplay = Named(
  'WebhookReplay',
  Type.Object(
    {
      object: Kind('webhook_replay'),
      queued: Type.Integer({
        description: `How many events were queued again: the oldest ones, at most ${REPLAYED_MAX.toLocaleString('en')}.`,
      }),
      has_more: Type.Boolean({ description: 'Whether there are more. If so, repeat the request.' }),
    },
    { description: 'The result of a replay.' },
  ),
)

export const WEBHOOK_ATTEMPT_OUTCOMES = ['success', 'failure', 'unknown'] as const
export type WebhookAttemptOutcome = (typeof WEBHOOK_ATTEMPT_OUTCOMES)[number]

const attemptFields = {
  id: Type.String({ description: 'Id of the attempt.', examples: ['0193a5c2-8100-7a2b-8c3d-4e5f60718293'] }),
  http_status_code: Nullable(
    Type.Integer({ description: 'The status that the endpoint answered; null without an answer.', examples: [200] }),
  ),
  response: Type.String({ description: 'The first 1,000 characters of the answer; empty if there is none.', examples: ['ok'] }),
  error: Nullable(
    Type.String({ description: 'Why the attempt failed; null if it did not.', examples: ['The endpoint answered with status 500.'] }),
  ),
  sent_at: Timestamp('When the request started.'),
  outcome: Enum([...WEBHOOK_ATTEMPT_OUTCOMES, 'running'], {
    description: '`unknown`: the process that sent it died. `running`: there is no answer yet.',
  }),
  duration_ms: Nullable(Type.Integer({ description: 'How long the attempt took; null while it is running, or if it is unknown.' })),
}
export const WebhookAttempt = Named(
  'WebhookAttempt',
  Type.Object(attemptFields, { description: 'A request to the endpoint of a webhook.' }),
)
export const WebhookAttemptList = List('WebhookAttemptList', 'attempts', WebhookAttempt)

/** The id as the header `svix-id` has it. */
export const webhookEventId = (id: string): string => `msg_${shortId(id)}`
