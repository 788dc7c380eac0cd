// The timeline and the outbox in one: append-only, written in the transaction of the cause; in SQL, because one
// statement writes many, alone or as a part of a larger one.

import type { PageRequest } from '../lib/page-request.ts'
import { readEmailNotification } from '../schemas/bodies/stored-values.ts'
import type { EmailNotificationData, NewNotification } from '../schemas/notifications.ts'
import type { Database, Execute } from './database.ts'
import { type Page, readPage } from './page.ts'
import { type ColumnType, rowArrays } from './row-arrays.ts'

export type NotificationRow = { id: string; type: string; data: EmailNotificationData; createdAt: Date }

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

/** A notification whose data does not match its type. */
export type UnreadableNotification = { notificationId: string; type: string; problem: string }

/** `onUnreadable` is called for a notification that is listed without its data. */
export function notificationRepository(
  { tables }: Pick<Database, 'tables'>,
  { onUnreadable }: { onUnreadable: (unreadable: UnreadableNotification) => void },
) {
  function read({ data, ...row }: Omit<NotificationRow, 'data'> & { data: unknown }): NotificationRow {
    const stored = readEmailNotification(row.type, data)
    if ('value' in stored) return { ...row, data: stored.value }
    onUnreadable({ notificationId: row.id, type: row.type, problem: stored.problem })
    return { ...row, data: { to: [] } }
  }

  return {
    /** What happened to one email, newest first. */
    listOf(teamId: string, subjectId: string, request: PageRequest): Promise<Page<NotificationRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.notification.findMany({
          where: { teamId, subjectId, ...where },
          select: { id: true, type: true, data: true, createdAt: true },
          ...rest,
        })
        return rows.map(read)
      })
    },
  }
}
