import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { teamLimit } from '../../lib/limits/team-limit.ts'
import {
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  Reference,
  secret,
  Timestamp,
} from '../../lib/validation/common.schema.ts'

// The types of event that webhooks can be told, a closed list. Some notifications are only for timelines.
export const WEBHOOK_EVENT_TYPES = [
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.opened',
  'email.clicked',
  'email.failed',
  'email.suppressed',
  'email.received',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.topics.updated',
  'topic.created',
  'topic.updated',
  'topic.deleted',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  'automation.disabled',
  'broadcast.unscheduled',
  'quota.warning',
  'quota.reached',
  'reputation.warning',
  'reputation.paused',
  'reputation.released',
  'suppression.added',
  'suppression.removed',
  'audit.recorded',
] as const

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]

const known: ReadonlySet<string> = new Set(WEBHOOK_EVENT_TYPES)

export const isWebhookEventType = (type: string): type is WebhookEventType => known.has(type)

export const WEBHOOKS_PER_TEAM_MAX = 50
export const WEBHOOK_LIMIT = teamLimit(WEBHOOKS_PER_TEAM_MAX, 'webhooks')
export const ENDPOINT_LENGTH_MAX = 2_000
export const CONCURRENCY_MAX = 50
export const CONCURRENCY_DEFAULT = 20
/** How long the secret before still signs. */
export const OLD_SECRET_HOURS = 24

export const WEBHOOK_STATUSES = ['enabled', 'disabled'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]

const endpoint = Type.String({
  maxLength: ENDPOINT_LENGTH_MAX,
  description: `The \`https\` URL to which events are sent: at most ${ENDPOINT_LENGTH_MAX} characters, without user, password and fragment.`,
  examples: ['https://example.com/webhooks'],
})
const events = Type.Array(Enum([...WEBHOOK_EVENT_TYPES]), {
  minItems: 1,
  maxItems: WEBHOOK_EVENT_TYPES.length,
  description: 'The types of event to send.',
  examples: [['email.delivered', 'email.bounced']],
})
const status = Enum([...WEBHOOK_STATUSES], { description: 'While a webhook is disabled, nothing is sent and no event is kept for it.' })
const ordered = Type.Boolean({
  description:
    'Whether the events of one email or contact are sent one at a time, in the order in which they happened. An event that fails holds back later ones of the same email or contact until it is given up. It applies to events from then on.',
})
const concurrency = Type.Integer({
  minimum: 1,
  maximum: CONCURRENCY_MAX,
  description: `How many requests are sent to the endpoint at once: from 1 to ${CONCURRENCY_MAX}.`,
})

export const WebhookCreate = Named(
  'WebhookCreate',
  Type.Object(
    {
      endpoint: Nullable(endpoint, { description: `${endpoint.description} Null: events are only read, from the feed of the webhook.` }),
      events,
      ordered: OptionalNullable(ordered),
      concurrency: OptionalNullable(
        Type.Integer({ ...concurrency, description: `${concurrency.description} The default is ${CONCURRENCY_DEFAULT}.` }),
      ),
    },
    { description: 'A webhook to create.' },
  ),
)

const STAYS = 'It can be replaced, but not removed: a webhook whose events are only read is created without one.'

export const WebhookUpdate = Named(
  'WebhookUpdate',
  Type.Object(
    {
      endpoint: OptionalNotNull(
        { ...endpoint, description: `${endpoint.description} ${STAYS}` },
        'An endpoint can be replaced, but not removed.',
      ),
      events: OptionalNotNull(events),
      status: OptionalNotNull(status),
      ordered: OptionalNotNull(ordered),
      concurrency: OptionalNotNull(concurrency),
    },
    { description: 'Fields of a webhook to change. Fields that are left out stay as they are.' },
  ),
)

const fields = {
  id: Id('Id of the webhook.'),
  endpoint: Nullable(endpoint, { description: 'The URL to which events are sent; null if they are only read from the feed.' }),
  events: Type.Array(Enum([...WEBHOOK_EVENT_TYPES]), { description: 'The types of event that are sent.' }),
  status,
  created_at: Timestamp('When the webhook was created.'),
}
export const EXAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const signingSecret = Type.String({
  ...secret,
  description: 'The secret with which events are signed. Verify each event with it.',
  examples: [EXAMPLE_SECRET],
})

export const WebhookSummary = Named('WebhookSummary', Type.Object(fields, { description: 'A webhook, as lists show it.' }))
export const Webhook = Named(
  'Webhook',
  Type.Object(
    {
      object: Kind('webhook'),
      ...fields,
      signing_secret: signingSecret,
      ordered,
      concurrency,
      last_success_at: Nullable(Timestamp('When the endpoint last accepted an event; null if it never has.')),
      last_failure_at: Nullable(Timestamp('When an attempt last failed; null if none has.')),
      failing_since: Nullable(Timestamp('When the current series of failed attempts began; null if the last attempt did not fail.')),
      disabled_reason: Nullable(
        Type.String({
          description: 'Why the service disabled the webhook; null if it did not.',
          examples: ['Every attempt has failed for 5 days.'],
        }),
      ),
    },
    { description: "A webhook: an endpoint to which a team's events are sent, with its health." },
  ),
)

export const WEBHOOKS = Resource({
  tag: SECTIONS.webhooks,
  noun: 'Webhook',
  parameter: 'webhook_id',
  item: WebhookSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c90',
    endpoint: 'https://example.com/webhooks',
    events: ['email.delivered', 'email.bounced'],
    status: 'enabled',
    created_at: EXAMPLE_TIME,
  },
})

export const WebhookParams = IdParams(WEBHOOKS)
export const WebhookList = List('WebhookList', 'webhooks', WebhookSummary)
export const WebhookReference = Reference('WebhookReference', 'webhook')
export const WebhookDeletion = Deletion('WebhookDeletion', 'webhook')
export const WebhookCreated = Named(
  'WebhookCreated',
  Type.Object(
    { object: Kind('webhook'), id: Id('Id of the webhook.'), signing_secret: signingSecret },
    { description: 'The webhook with its new secret.' },
  ),
)
