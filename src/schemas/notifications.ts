// Typed happenings of ours, a closed list: what timelines show and webhooks will deliver. On the wire they are called events.

export const EMAIL_NOTIFICATION_TYPES = [
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.failed',
  'email.suppressed',
  'email.canceled',
] as const

export const CONTACT_NOTIFICATION_TYPES = ['contact.created', 'contact.updated', 'contact.deleted'] as const

export const TOPIC_NOTIFICATION_TYPES = ['topic.created', 'topic.updated', 'topic.deleted'] as const

export type EmailNotificationType = (typeof EMAIL_NOTIFICATION_TYPES)[number]
export type ContactNotificationType = (typeof CONTACT_NOTIFICATION_TYPES)[number]
export type TopicNotificationType = (typeof TOPIC_NOTIFICATION_TYPES)[number]

/** What is written about one happening. */
export type NewNotification = {
  id: string
  teamId: string
  /** The record it is about. */
  subjectId: string
} & (
  | { type: EmailNotificationType; data: EmailNotificationData }
  | { type: ContactNotificationType; data: ContactNotificationData }
  | { type: 'contact.topics.updated'; data: ContactTopicsNotificationData }
  | { type: TopicNotificationType; data: TopicNotificationData }
)

export type EmailNotification = Extract<NewNotification, { type: EmailNotificationType }>

export type EmailNotificationData = {
  /** The recipients that it concerns. */
  to: string[]
  /** More about it, by its type. */
  detail?: Record<string, unknown>
}

/** A contact as it was then; times as ISO 8601. */
export type ContactNotificationData = {
  id: string
  email: string
  first_name: string | null
  last_name: string | null
  unsubscribed: boolean
  segment_ids: string[]
  created_at: string
  updated_at: string
}

/** Only the topics that changed. */
export type ContactTopicsNotificationData = { email: string; topics: { id: string; subscription: Subscription }[] }

/** A topic as it was then; times as ISO 8601. */
export type TopicNotificationData = {
  id: string
  name: string
  description: string | null
  default_subscription: Subscription
  deleted: boolean
  created_at: string
  updated_at: string
}

export type Subscription = 'opt_in' | 'opt_out'
