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
  'suppression.added',
  'suppression.removed',
] as const

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]

const known: ReadonlySet<string> = new Set(WEBHOOK_EVENT_TYPES)

export const isWebhookEventType = (type: string): type is WebhookEventType => known.has(type)
