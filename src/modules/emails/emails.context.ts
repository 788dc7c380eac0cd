// What emails gives to those that come after: its repositories, and what else compose makes of it.
import type { BoundedQueries } from '../../db/bounded-queries.ts'
import type { Database } from '../../db/database.ts'
import type { BodyHashes } from '../../mail/dkim/body-hash.ts'
import type { MergeValues } from '../../mail/rendering/contact-placeholders.ts'
import type { LimitsContext } from '../limits/limits.context.ts'
import { acceptedEmailRepository } from './accepted-emails.repository.ts'
import { attemptRepository, capturedEmailRepository } from './captured-emails.repository.ts'
import { emailLineRepository } from './email-searches.repository.ts'
import { notificationRepository, type UnreadableNotification } from './email-timeline.repository.ts'
import { attachmentRepository, emailRepository } from './emails.repository.ts'
import { fetchedAttachmentRepository } from './fetched-attachments.repository.ts'
import { outgoingEmailRepository } from './outgoing-emails.repository.ts'
import { type ForgetEmails, retentionRepository } from './retention.repository.ts'

/** An email as it is stored: content and headers are those of its broadcast, if it is a part of one. */
export type EmailOfBroadcast = ShownEmailOfBroadcast & { from: string; headers: Record<string, string> }

export type ShownEmailOfBroadcast = {
  id: string
  teamId: string
  to: string[]
  html: string | null
  text: string | null
  broadcastId: string | null
  mergeValues: MergeValues | null
}

/** Accepting emails counts them. */
export type EmailsContext = LimitsContext & {
  repositories: ReturnType<typeof emailsRepositories>
  /** Keyed by the ids of the emails that are being sent. */
  bodyHashes: BodyHashes
  /** Gives an email of a broadcast its content and headers, which are made from those of the broadcast. Other emails are returned unchanged. */
  withBroadcastContent: <Email extends EmailOfBroadcast>(email: Email) => Promise<Email>
  /** Gives the content to people who look at the email: hidden parts are left out, and so is a text that was not given. */
  asBroadcastEmail: <Email extends ShownEmailOfBroadcast>(email: Email) => Promise<Email>
}

export const emailsRepositories = (
  database: Database,
  {
    searches,
    forgetEmails,
    onUnreadable,
    simulatorDomains,
  }: {
    searches: BoundedQueries
    forgetEmails: ForgetEmails
    onUnreadable: (unreadable: UnreadableNotification) => void
    simulatorDomains: readonly string[]
  },
) => ({
  acceptedEmails: acceptedEmailRepository(database, { simulatorDomains }),
  attempts: attemptRepository(database),
  attachments: attachmentRepository(database),
  capturedEmails: capturedEmailRepository(database),
  emails: emailRepository(database, { simulatorDomains }),
  fetchedAttachments: fetchedAttachmentRepository(database),
  emailLines: emailLineRepository(database, { searches }),
  notifications: notificationRepository(database, { onUnreadable }),
  outgoingEmails: outgoingEmailRepository(database),
  retention: retentionRepository(database, { forgetEmails }),
})
