// What happened to an email, from its timeline.
import type { Database } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { type EmailNotificationData, readEmailNotification } from './email-timeline.schema.ts'

export type NotificationRow = { id: string; type: string; data: EmailNotificationData; createdAt: Date }

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
