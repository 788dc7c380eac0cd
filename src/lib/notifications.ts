// What happened to records. Timelines show it and webhooks deliver it, where it is called an event.
import type { Static, TSchema } from '@sinclair/typebox'

/** Every type of notification, with its data. Each subject adds its own beside their schemas, as plugins add to the types of Fastify. */
// biome-ignore lint/suspicious/noEmptyInterface: the subjects fill it.
export interface Notifications {}

/** The data of each type in a list of schemas. */
export type NotificationsOf<Schemas extends Record<string, TSchema>> = { [Type in keyof Schemas]: Static<Schemas[Type]> }

export type NotificationType = keyof Notifications
export type NotificationData<Type extends NotificationType> = Notifications[Type]

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
