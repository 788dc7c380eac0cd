import type { Static } from '@sinclair/typebox'
import { type Warning, warningCodes } from '../lib/header-codes.ts'
import { messageIdOf } from '../lib/message-ids.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { EmailRow, EmailSummaryRow } from '../repositories/emails/emails.ts'
import type { NotificationRow } from '../repositories/notifications.ts'
import type { EmailEvent } from '../schemas/email-events.ts'
import { type Email, type EmailSummary, LAST_EVENTS, type Tag } from '../schemas/emails.ts'

export const toEmailSummary = (row: EmailSummaryRow): Static<typeof EmailSummary> => ({
  object: 'email',
  id: row.id,
  message_id: messageIdOf(row),
  to: row.to,
  from: row.from,
  created_at: toTimestamp(row.createdAt),
  subject: row.subject,
  bcc: row.bcc,
  cc: row.cc,
  reply_to: row.replyTo,
  last_event: lastEvent(row.lastEvent),
  scheduled_at: toTimestamp(row.scheduledAt),
  topic_id: row.topicId,
})

export const toEmail = (row: EmailRow, warnings: readonly Warning[] = []): Static<typeof Email> => ({
  ...toEmailSummary(row),
  html: row.html,
  text: row.text,
  tags: tags(row.tags),
  template_id: row.templateId,
  template_version_id: row.templateVersionId,
  ...(warnings.length > 0 && { warnings: warningCodes(warnings) }),
})

export const toEmailEvent = (row: NotificationRow): Static<typeof EmailEvent> => ({
  id: row.id,
  type: row.type,
  to: row.data.to,
  detail: row.data.detail ?? null,
  created_at: toTimestamp(row.createdAt),
})

function lastEvent(text: string): Static<typeof Email>['last_event'] {
  const known = LAST_EVENTS.find((event) => event === text)
  if (!known) throw new Error(`An email has the unknown last event ${text}`)
  return known
}

/** Stored as they were validated: a list of names and values. */
const tags = (stored: EmailRow['tags']): Static<typeof Tag>[] =>
  Array.isArray(stored)
    ? stored.flatMap((tag) =>
        tag !== null && typeof tag === 'object' && 'name' in tag && 'value' in tag
          ? [{ name: String(tag.name), value: String(tag.value) }]
          : [],
      )
    : []
