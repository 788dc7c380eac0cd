// The timeline and the outbox in one: append-only, written in the transaction of the cause; in SQL, because one
// statement writes many, alone or as a part of a larger one.
import type { NewNotification } from '../lib/notifications.ts'
import { type ColumnType, rowArrays } from './columns.ts'
import type { Execute } from './database.ts'

/** How a notification is written into its table, alone or in a larger statement (alias `n`). */
export const notificationColumns = {
  insert: 'id, team_id, type, subject_id, data, created_at',
  select: 'n.id, n."teamId", n.type, n."subjectId", n.data, n."createdAt"',
}

/** The types of these columns, to write them as arrays. */
export const NOTIFICATION_COLUMNS = {
  id: 'uuid',
  teamId: 'uuid',
  type: 'text',
  subjectId: 'uuid',
  data: 'jsonb',
  createdAt: 'timestamptz',
} satisfies Record<string, ColumnType>

export const notificationRows = (notifications: NewNotification[], createdAt: Date): (NewNotification & { createdAt: Date })[] =>
  notifications.map((notification) => ({ ...notification, createdAt }))

/** Records what happened, in the transaction that made it happen. */
export async function append(execute: Execute, notifications: NewNotification[], createdAt: Date): Promise<void> {
  if (notifications.length === 0) return
  await execute(
    `insert into notifications (${notificationColumns.insert}) select ${notificationColumns.select} from ${APPENDED.source} as n`,
    APPENDED.values(notificationRows(notifications, createdAt)),
  )
}

const APPENDED = rowArrays(NOTIFICATION_COLUMNS, 1)
