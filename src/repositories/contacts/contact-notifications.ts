// Notifications about contacts: their state after a change, written in its transaction.
import { createId } from '../../lib/ids.ts'
import type { ContactNotificationType } from '../../schemas/contacts.ts'
import type { Subscription } from '../../schemas/notifications.ts'
import type { Execute } from '../database.ts'
import { append } from '../notifications.ts'
import type { ContactRow } from './contact-rows.ts'
import { segmentIdsOf } from './memberships.ts'

/** Records that a contact was created, changed or deleted. A deletion is recorded before the memberships are removed. */
export async function appendContactNotification(
  execute: Execute,
  type: ContactNotificationType,
  { teamId, contact, now }: { teamId: string; contact: ContactRow; now: Date },
): Promise<void> {
  const segmentIds = await segmentIdsOf(execute, teamId, contact.id)
  await appendContactNotifications(execute, type, { teamId, contacts: [{ contact, segmentIds }], now })
}

/** Appends the notifications of many contacts, with the segments that they are in. */
export async function appendContactNotifications(
  execute: Execute,
  type: ContactNotificationType,
  { teamId, contacts, now }: { teamId: string; contacts: { contact: ContactRow; segmentIds: string[] }[]; now: Date },
): Promise<void> {
  const notifications = contacts.map(({ contact, segmentIds }) => ({
    id: createId(),
    teamId,
    type,
    subjectId: contact.id,
    data: {
      id: contact.id,
      email: contact.email,
      first_name: contact.firstName,
      last_name: contact.lastName,
      unsubscribed: contact.unsubscribed,
      segment_ids: segmentIds,
      created_at: contact.createdAt.toISOString(),
      updated_at: contact.updatedAt.toISOString(),
    },
  }))
  await append(execute, notifications, now)
}

/** Records which topics of a contact changed. */
export async function appendTopicsNotification(
  execute: Execute,
  {
    teamId,
    contact,
    topics,
    now,
  }: { teamId: string; contact: Pick<ContactRow, 'id' | 'email'>; topics: { id: string; subscription: Subscription }[]; now: Date },
): Promise<void> {
  if (topics.length === 0) return
  const data = { email: contact.email, topics }
  await append(execute, [{ id: createId(), teamId, type: 'contact.topics.updated', subjectId: contact.id, data }], now)
}
