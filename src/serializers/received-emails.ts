import type { Static } from '@sinclair/typebox'
import { senderText } from '../lib/inbound/received-content.ts'
import { SENDER_VERDICTS } from '../lib/inbound/sender-verdicts.ts'
import { toIso, toTimestamp } from '../lib/timestamps.ts'
import type { ReceivedAttachmentRow, ReceivedEmailRow, ReceivedSummaryRow } from '../repositories/inbound/received-emails.ts'
import type { HtmlFormat, ReceivedAttachmentItem, ReceivedEmail, ReceivedEmailSummary } from '../schemas/received-emails.ts'

export type ReceivedLink = { url: string; expiresAt: Date }

type File = Static<typeof ReceivedEmailSummary>['attachments'][number]

export const toReceivedFile = (row: ReceivedAttachmentRow): File => ({
  id: row.id,
  filename: row.filename,
  content_type: row.contentType,
  content_disposition: row.contentDisposition === 'inline' || row.contentDisposition === 'attachment' ? row.contentDisposition : null,
  content_id: row.contentId,
  size: row.size,
})

const linkFields = ({ url, expiresAt }: ReceivedLink) => ({ download_url: url, expires_at: toIso(expiresAt) })

export const toReceivedAttachment = (row: ReceivedAttachmentRow, link: ReceivedLink | null): Static<typeof ReceivedAttachmentItem> => ({
  ...toReceivedFile(row),
  ...(link === null ? { download_url: null, expires_at: null } : linkFields(link)),
})

export const toReceivedSummary = (row: ReceivedSummaryRow): Static<typeof ReceivedEmailSummary> => ({
  id: row.id,
  to: row.to,
  from: senderText(row),
  created_at: toTimestamp(row.createdAt),
  subject: row.subject,
  bcc: row.bcc,
  cc: row.cc,
  reply_to: row.replyTo,
  message_id: row.messageId,
  received_for: row.receivedFor,
  attachments: row.attachments.map(toReceivedFile),
  problem: row.problem,
})

export const toReceivedEmail = (
  row: ReceivedEmailRow,
  { html, htmlFormat, raw }: { html: string | null; htmlFormat: HtmlFormat; raw: ReceivedLink | null },
): Static<typeof ReceivedEmail> => ({
  object: 'email',
  ...toReceivedSummary(row),
  html,
  html_format: htmlFormat,
  text: row.text,
  headers: headersOf(row.headers),
  authentication: authenticationOf(row),
  filter: row.filter,
  raw: raw && linkFields(raw),
  is_auto_reply: row.isAutoReply,
  in_reply_to_email_id: row.inReplyToEmailId,
  sent_email_id: row.sentEmailId,
})

const headersOf = (headers: unknown): Record<string, string> =>
  typeof headers === 'object' && headers !== null
    ? Object.fromEntries(Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string'))
    : {}

function authenticationOf({ spf, dkim, dmarc, arc }: ReceivedEmailRow): ReceivedEmail['authentication'] {
  if (spf === null || dkim === null || dmarc === null || arc === null) return null
  return { spf: verdictOf(spf), dkim: verdictOf(dkim), dmarc: verdictOf(dmarc), arc: verdictOf(arc) }
}

const verdictOf = (stored: string) => SENDER_VERDICTS.find((verdict) => verdict === stored) ?? 'unknown'
