// What a worker loads of emails to deliver them; in SQL, because it is hot and reads several tables. Crosses teams: for workers.

import { type Database, statement } from '../../db/database.ts'
import type { MergeValues } from '../../mail/rendering/contact-placeholders.ts'
import { mayStillSend } from '../accounts/access.sql.ts'
import { MESSAGE_ID } from './message-ids.ts'
import type { SubmittedContent } from './submitted-message.ts'

export type OutgoingEmail = {
  id: string
  teamId: string
  messageId: string
  from: string
  to: string[]
  cc: string[]
  replyTo: string[]
  subject: string
  html: string | null
  text: string | null
  headers: Record<string, string>
  /** Only recipients who are subscribed to this topic get it. */
  topicId: string | null
  /** The broadcast that it is a part of. Its content is made of that of the broadcast, with these values of the contact. */
  broadcastId: string | null
  mergeValues: MergeValues | null
  createdAt: Date
  scheduledAt: Date | null
  /** The trace in which it was accepted; null if none is known. */
  traceparent: string | null
  /**
   * False for a scheduled email whose key was deleted before it was due. Deliveries that have begun continue, and an email that has begun to fail
   * continues to fail.
   */
  isKeyActive: boolean
  /** True if the email is scheduled and its key may only send from a domain that has been deleted. */
  isKeyDomainGone: boolean
  attachments: OutgoingAttachment[]
  /** The content of an email that was submitted over SMTP. Its attachments are parts of it. */
  submitted: SubmittedContent | null
}

export type OutgoingAttachment = {
  emailId: string
  filename: string | null
  contentType: string
  contentId: string | null
  blobKey: string
}

type LoadedEmail = Omit<OutgoingEmail, 'attachments' | 'submitted'> & { attachmentCount: number } & {
  /** Null unless it was submitted over SMTP. */
  head: string | null
  body: Buffer | null
  /** The key of a body that is not there. */
  blobKey: string
  bodyStart: number
  htmlPart: number | null
}

export function outgoingEmailRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    async load(emailIds: string[]): Promise<Map<string, OutgoingEmail>> {
      const emails = await transaction((inside) => inside<LoadedEmail>(LOAD, [emailIds], { isLast: true }), { plans: 'row by row, kept' })
      const withFiles = emails.filter(({ attachmentCount, head }) => attachmentCount > 0 && head === null).map(({ id }) => id)
      const attachments = withFiles.length > 0 ? await execute<OutgoingAttachment>(LOAD_ATTACHMENTS, [withFiles]) : []
      return new Map(
        emails.map(({ head, body, blobKey, bodyStart, htmlPart, ...email }) => [
          email.id,
          {
            ...email,
            attachments: attachments.filter(({ emailId }) => emailId === email.id),
            submitted: head === null ? null : { head, body: body ?? { blobKey, start: bodyStart }, htmlPart },
          },
        ]),
      )
    },
  }
}

const LOAD = statement(
  'outgoing emails',
  `
select e.id, e.team_id as "teamId", ${MESSAGE_ID} as "messageId", e."from", e."to", coalesce(e.cc, '{}') as cc, coalesce(e.reply_to, '{}') as "replyTo", e.subject, e.html,
  e.text, coalesce(e.headers, '{}') as headers,
  e.topic_id as "topicId", e.broadcast_id as "broadcastId", e.merge_values as "mergeValues", e.created_at as "createdAt", e.scheduled_at as "scheduledAt", e.traceparent, e.attachment_count as "attachmentCount",
  e.scheduled_at is null or ${mayStillSend('e.api_key_id')}
    or exists (select from recipients r where r.email_id = e.id and r.state not in ('queued', 'failed') offset 0) as "isKeyActive",
  e.scheduled_at is not null and exists (select from api_keys k where k.id = e.api_key_id and k.domain_id is not null
    and not exists (select from domains d where d.id = k.domain_id) offset 0) as "isKeyDomainGone",
  s.head, s.body, s.blob_key as "blobKey", s.body_start as "bodyStart", s.html_part as "htmlPart"
from emails e left join submitted_messages s on s.email_id = e.id where e.id = any($1::uuid[])`,
)

const LOAD_ATTACHMENTS = `
select email_id as "emailId", filename, content_type as "contentType", content_id as "contentId", blob_key as "blobKey"
from attachments where email_id = any($1::uuid[]) order by email_id, position`
