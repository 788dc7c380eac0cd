// What became of an email, for its page in the console; in SQL the time of the next try, because Prisma has no word for `infinity`.
import type { Database } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'

/** What is shown of an attempt, over the API and in the console. */
export const attemptColumns = {
  id: true,
  recipientId: true,
  number: true,
  outcome: true,
  host: true,
  tls: true,
  code: true,
  enhancedCode: true,
  text: true,
  durationMs: true,
  startedAt: true,
} as const

export type AttemptRow = Prisma.AttemptGetPayload<{ select: typeof attemptColumns }> & { address: string }

/** What a mail server said last of an email that it did not take. */
export type AttemptAnswer = { emailId: string; address: string; text: string | null }

export function attemptRepository({ tables, execute }: Pick<Database, 'tables' | 'execute'>) {
  return {
    /** Keyed by the ids of the emails. Emails without such an attempt are not in it. */
    async lastAnswers(teamId: string, emailIds: string[]): Promise<Map<string, AttemptAnswer>> {
      const rows = await execute<AttemptAnswer>(LAST_ANSWERS, [teamId, emailIds])
      return new Map(rows.map((row) => [row.emailId, row]))
    },

    /** The attempts to deliver one email, newest first, each with the address it was for. */
    async listOf(teamId: string, emailId: string, request: PageRequest): Promise<Page<AttemptRow>> {
      const page = await readPage(request, ({ where, ...rest }) =>
        tables.attempt.findMany({ where: { teamId, emailId, ...where }, select: attemptColumns, ...rest }),
      )
      const recipientIds = [...new Set(page.rows.map(({ recipientId }) => recipientId))]
      const recipients = await tables.recipient.findMany({
        where: { teamId, emailId, id: { in: recipientIds } },
        select: { id: true, address: true },
      })
      const addresses = new Map(recipients.map(({ id, address }) => [id, address]))
      return { ...page, rows: page.rows.map((row) => ({ ...row, address: addresses.get(row.recipientId) ?? '' })) }
    },
  }
}

const LAST_ANSWERS = `
select e.id as "emailId", r.address, a.text from unnest($2::uuid[]) as e(id)
 cross join lateral (
   select recipient_id, text from attempts where email_id = e.id and team_id = $1 and outcome in ('bounced', 'failed', 'delayed') order by id desc limit 1
 ) a join recipients r on r.id = a.recipient_id and r.team_id = $1`

const attachment = { id: true, filename: true, contentType: true, contentId: true, size: true, blobKey: true } as const
const recipient = { id: true, address: true, state: true, attemptCount: true } as const

export type CapturedAttachmentRow = Prisma.AttachmentGetPayload<{ select: typeof attachment }>
export type CapturedRecipientRow = Prisma.RecipientGetPayload<{ select: typeof recipient }>
/** A recipient whose delivery has not ended. */
export type CapturedPendingRow = {
  recipientId: string
  /** The time of the next attempt; null if an operator has paused it. */
  dueAt: Date | null
  isRunning: boolean
}

/** The number that an email can have. */
const ATTACHMENTS_SHOWN_MAX = 100
/** More than the recipients that one email can have. */
const RECIPIENTS_SHOWN_MAX = 200

export function capturedEmailRepository({ tables, execute }: Pick<Database, 'tables' | 'execute'>) {
  return {
    /** Returns the attachments in the order in which they were given. */
    attachmentsOf(teamId: string, emailId: string): Promise<CapturedAttachmentRow[]> {
      return tables.attachment.findMany({
        where: { teamId, emailId },
        select: attachment,
        orderBy: { position: 'asc' },
        take: ATTACHMENTS_SHOWN_MAX,
      })
    },

    recipientsOf(teamId: string, emailId: string): Promise<CapturedRecipientRow[]> {
      return tables.recipient.findMany({
        where: { teamId, emailId },
        select: recipient,
        orderBy: { id: 'asc' },
        take: RECIPIENTS_SHOWN_MAX,
      })
    },

    /** Which recipients have an attempt ahead, and when. */
    pendingOf(teamId: string, emailId: string): Promise<CapturedPendingRow[]> {
      return execute<CapturedPendingRow>(
        `select id as "recipientId", nullif(due_at, 'infinity') as "dueAt", leased_by is not null as "isRunning"
           from deliveries where team_id = $1 and id in (select id from recipients where email_id = $2) order by due_at, id limit ${RECIPIENTS_SHOWN_MAX}`,
        [teamId, emailId],
      )
    },
  }
}
