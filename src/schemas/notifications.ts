// The types of notification, a closed list. Timelines show them and webhooks will deliver them. On the wire they are called events.

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

/** What is recorded about one notification. */
export type NewNotification = {
  id: string
  teamId: string
  /** The record that it is about. */
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
  /** Details, depending on the type. */
  detail?: Record<string, unknown>
}

/** A contact at the time of the notification; times are in ISO 8601. */
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

/** A topic at the time of the notification; times are in ISO 8601. */
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
