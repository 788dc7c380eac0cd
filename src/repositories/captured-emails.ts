// Emails as the inbox shows them: the list, and what came of each recipient.
import type { Prisma } from '../generated/prisma/client.ts'
import type { PageRequest } from '../lib/page-request.ts'
import type { Database } from './database.ts'
import { type Page, readPage } from './page.ts'

const line = { id: true, from: true, to: true, subject: true, lastEvent: true, attachmentCount: true, createdAt: true } as const
const attachment = { id: true, filename: true, contentType: true, contentId: true, size: true, blobKey: true } as const
const recipient = { id: true, address: true, state: true, attemptCount: true } as const
const attempt = {
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

export type InboxLineRow = Prisma.EmailGetPayload<{ select: typeof line }>
export type InboxAttachmentRow = Prisma.AttachmentGetPayload<{ select: typeof attachment }>
export type InboxRecipientRow = Prisma.RecipientGetPayload<{ select: typeof recipient }>
export type InboxAttemptRow = Prisma.AttemptGetPayload<{ select: typeof attempt }>

/** As many as an email can have. */
const ATTACHMENTS_SHOWN_MAX = 100
/** More than the recipients that one email can have. */
const RECIPIENTS_SHOWN_MAX = 200
/** The latest; an email to many that is refused for days has more than anybody reads. */
const ATTEMPTS_SHOWN_MAX = 300

export function capturedEmailRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    list(teamId: string, request: PageRequest): Promise<Page<InboxLineRow>> {
      return readPage(request, ({ where, ...rest }) => tables.email.findMany({ where: { teamId, ...where }, select: line, ...rest }))
    },

    /** Null: the team has no such email. */
    async lastEventOf(teamId: string, emailId: string): Promise<string | null> {
      return (await tables.email.findFirst({ where: { teamId, id: emailId }, select: { lastEvent: true } }))?.lastEvent ?? null
    },

    /** In the order in which they were given. */
    attachmentsOf(teamId: string, emailId: string): Promise<InboxAttachmentRow[]> {
      return tables.attachment.findMany({
        where: { teamId, emailId },
        select: attachment,
        orderBy: { position: 'asc' },
        take: ATTACHMENTS_SHOWN_MAX,
      })
    },

    recipientsOf(teamId: string, emailId: string): Promise<InboxRecipientRow[]> {
      return tables.recipient.findMany({
        where: { teamId, emailId },
        select: recipient,
        orderBy: { id: 'asc' },
        take: RECIPIENTS_SHOWN_MAX,
      })
    },

    /** Newest first. */
    attemptsOf(teamId: string, emailId: string): Promise<InboxAttemptRow[]> {
      return tables.attempt.findMany({ where: { teamId, emailId }, select: attempt, orderBy: { id: 'desc' }, take: ATTEMPTS_SHOWN_MAX })
    },
  }
}
