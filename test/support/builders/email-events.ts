// For tests of metrics: things that happened to emails, written as the service writes them.
import { createId } from '../../../src/lib/ids.ts'
import { append } from '../../../src/repositories/notifications.ts'
import type { EmailNotificationData, EmailNotificationType, NewNotification } from '../../../src/schemas/notifications.ts'
import type { TestService } from '../servers/service.ts'

export type EmailHappening = { type: EmailNotificationType; at: Date; data?: Partial<EmailNotificationData> }

/** Records something that happened to one email of the test's team. */
export async function happen(
  { database, teamId }: Pick<TestService, 'database' | 'teamId'>,
  emailId: string,
  happenings: EmailHappening[],
): Promise<void> {
  for (const { type, at, data } of happenings) {
    const notification = {
      id: createId({ now: () => at, monotonicMs: () => 0 }),
      teamId,
      type,
      subjectId: emailId,
      data: { to: ['to@example.org'], ...data },
    } as NewNotification
    await append(database.execute, [notification], at)
  }
}

export const bounce = (type: string) => ({ detail: { bounce: { type } } })
export const open = ({ isMachine = false, isFirst = false } = {}) => ({
  detail: { is_machine: isMachine },
  ...(isFirst && { firstOf: 'email' as const }),
})
