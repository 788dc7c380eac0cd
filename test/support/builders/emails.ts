// Emails for tests: a valid one to change, and how to send it.

import { readdir } from 'node:fs/promises'
import { append } from '../../../src/db/outbox.ts'
import { STORE_MARK } from '../../../src/io/blobs/store-mark.ts'
import { createId } from '../../../src/lib/ids.ts'
import type { NewNotification } from '../../../src/lib/notifications.ts'
import type { EmailNotificationData, EmailNotificationType } from '../../../src/modules/emails/email-timeline.schema.ts'
import type { CallOptions, TestService } from '../servers/service.ts'

/** A well-formed id that no record has. */
export const UNKNOWN_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'

export const MIB = 1024 * 1024

/** The body of a valid POST /emails; a field that is set to undefined is left out. */
export const emailInput = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  from: 'Acme <hello@example.com>',
  to: 'delivered@simulator.test',
  subject: 'Your receipt',
  text: 'Thank you.',
  ...changes,
})

/** Sends an email and returns its id. */
export async function send(service: TestService, changes: Record<string, unknown> = {}, options: CallOptions = {}): Promise<string> {
  const { status, body, text } = await service.call('POST', '/emails', { body: emailInput(changes), ...options })
  if (status !== 200) throw new Error(`The email was not accepted: ${text}`)
  return (body as { id: string }).id
}

// For tests of metrics: things that happened to emails, written as the service writes them.

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

// What is stored at the moment, to show that a refused request leaves nothing.

/** Everything that accepting an email may write. */
const TABLES = [
  'emails',
  'recipients',
  'deliveries',
  'attachments',
  'notifications',
  'attempts',
  'idempotency_keys',
  'graphile_worker.jobs',
]

/** Rows of each table, and the stored files. */
export async function countStored({ database, config }: TestService): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(select count(*)::int from ${table}) as "${table}"`)
  const [row] = await database.execute<Record<string, number>>(`select ${counts.join(', ')}`)
  return { ...row, blobs: (await listBlobs(config.blobFolder)).length }
}

/** The result of `countStored` if nothing was ever accepted. */
export const NOTHING_STORED: Record<string, number> = { ...Object.fromEntries(TABLES.map((table) => [table, 0])), blobs: 0 }

/** Names of the stored files, temporary ones included, without the mark that says whose they are. */
async function listBlobs(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && entry.name !== STORE_MARK).map(({ name }) => name)
}
