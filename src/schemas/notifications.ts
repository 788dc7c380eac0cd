// The types of notification, a closed list with the data of each. Timelines show them and webhooks deliver them. On the wire they are called events.
import type { Static } from '@sinclair/typebox'
import type { SUBSCRIPTIONS } from '../lib/audience/segment-rules.ts'
import { AUTOMATION_NOTIFICATIONS } from './automations.ts'
import { BROADCAST_NOTIFICATIONS } from './broadcasts.ts'
import { CONTACT_NOTIFICATIONS } from './contacts.ts'
import { DOMAIN_NOTIFICATIONS } from './domains.ts'
import { EMAIL_NOTIFICATIONS } from './email-events.ts'
import { RECEIVED_NOTIFICATIONS } from './received-emails.ts'
import { SUPPRESSION_NOTIFICATIONS } from './suppressions.ts'
import { TOPIC_NOTIFICATIONS } from './topics.ts'

/** Every type, with the schema of its data. */
export const NOTIFICATIONS = {
  ...EMAIL_NOTIFICATIONS,
  ...RECEIVED_NOTIFICATIONS,
  ...CONTACT_NOTIFICATIONS,
  ...TOPIC_NOTIFICATIONS,
  ...DOMAIN_NOTIFICATIONS,
  ...AUTOMATION_NOTIFICATIONS,
  ...BROADCAST_NOTIFICATIONS,
  ...SUPPRESSION_NOTIFICATIONS,
}

export type NotificationType = keyof typeof NOTIFICATIONS
export type NotificationData<Type extends NotificationType> = Static<(typeof NOTIFICATIONS)[Type]>

/** What is recorded about one notification. */
export type NewNotification<Type extends NotificationType = NotificationType> = {
  [Each in Type]: {
    id: string
    teamId: string
    /** The record that it is about. */
    subjectId: string
    type: Each
    data: NotificationData<Each>
  }
}[Type]

export type ReceivedNotification = NewNotification<'email.received'>
export type EmailNotificationType = keyof typeof EMAIL_NOTIFICATIONS
/** What we, or the servers of recipients, did. The others are acts of readers, with details of their own. */
export type SendingNotificationType = Exclude<EmailNotificationType, 'email.opened' | 'email.clicked' | 'email.answered'>
export type EmailNotificationData = NotificationData<EmailNotificationType>

export type Subscription = (typeof SUBSCRIPTIONS)[number]
