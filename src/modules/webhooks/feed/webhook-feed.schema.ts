import { Type } from '@sinclair/typebox'
import { documented, Kind, Named, Nullable, Ref } from '../../../lib/validation/common.schema.ts'
import { WebhookEventItem } from '../events/webhook-events.schema.ts'
import { WebhookPayload } from '../payloads/webhook-payloads.schema.ts'

export const FEED_EVENTS_MAX = 1_000
export const FEED_EVENTS_DEFAULT = 100
/** Shorter than proxies keep a connection on which nothing is sent. */
export const FEED_WAIT_SECONDS_MAX = 25
/** The limit of one process. */
export const FEED_WAITING_PER_TEAM_MAX = 50

const EXAMPLE_POSITION = 'n.7423817264519283746.81234.AZOlwn1OexqcPy5dimtMEA.mi0f2k7g'

export const WebhookFeedQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      description:
        'Return the events after this position: the `next` of an earlier response. `now` begins with what happens from now on. By default, the feed begins with the oldest event that is kept.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: FEED_EVENTS_MAX,
      ...documented({ default: FEED_EVENTS_DEFAULT }),
      description: `How many events to return at most, from 1 to ${FEED_EVENTS_MAX.toLocaleString('en')}. A response has at most 1,000,000 characters of events, so it can have fewer events: see \`has_more\`.`,
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: FEED_WAIT_SECONDS_MAX,
      description: `How many seconds to wait for an event if there is none yet, from 0 to ${FEED_WAIT_SECONDS_MAX}. The default is 0. The response comes as soon as there is one.`,
    }),
  ),
})
export const WebhookFeedEvent = Named(
  'WebhookFeedEvent',
  Type.Object(
    {
      id: WebhookEventItem.properties.id,
      type: WebhookPayload.properties.type,
      created_at: WebhookEventItem.properties.created_at,
      payload: Nullable(Ref(WebhookPayload), {
        description:
          'The payload that an endpoint is sent; null if it is no longer kept, and for an access token without the scope to read what it shows.',
      }),
    },
    { description: 'An event in the feed of a webhook.' },
  ),
)

export const WebhookFeed = Named(
  'WebhookFeed',
  Type.Object(
    {
      object: Kind('list'),
      has_more: Type.Boolean({ description: 'Whether there are more events now.' }),
      data: Type.Array(Ref(WebhookFeedEvent), { description: 'The events, in the order in which they were committed.' }),
      next: Type.String({
        description: 'The position after these events: the `after` of the next request, also when there is no event.',
        examples: [EXAMPLE_POSITION],
      }),
    },
    { description: 'A part of the feed of a webhook.' },
  ),
)

export const FEED_EXAMPLE = { next: EXAMPLE_POSITION }
