// Typed happenings of ours: what timelines show and webhooks will deliver. On the wire they are called events.

/** The closed list of notification types. */
export const NOTIFICATION_TYPES = [
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

export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

/** What is written about one happening. */
export type NewNotification = {
  id: string
  teamId: string
  type: NotificationType
  /** The record it is about. */
  subjectId: string
  data: EmailNotificationData
}

export type EmailNotificationData = {
  /** The recipients that it concerns. */
  to: string[]
  /** More about it, by its type. */
  detail?: Record<string, unknown>
}
