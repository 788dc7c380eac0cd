import type { Static } from '@sinclair/typebox'
import { withoutPersonalLinksIn } from '../lib/personal-links.ts'
import type { EmailOfEvent, WebhookContent } from '../repositories/webhooks/webhook-contents.ts'
import { WEBHOOK_EXAMPLES, type WebhookPayload } from '../schemas/webhook-payloads.ts'

/** What a message says, without personal links: the same for every attempt. Null if what happened is no longer kept. */
export function toWebhookPayload({
  type,
  createdAt,
  isTest,
  data,
  email,
  subjectId,
}: WebhookContent): Static<typeof WebhookPayload> | null {
  const envelope = { type, created_at: createdAt.toISOString() }
  if (isTest) return { ...envelope, data: WEBHOOK_EXAMPLES[type], test: true }
  if (data === null) return null
  return { ...envelope, data: withoutPersonalLinksIn(dataOf({ type, data, email, subjectId })) as Record<string, unknown> }
}

function dataOf({
  type,
  data,
  email,
  subjectId,
}: Pick<WebhookContent, 'type' | 'email' | 'subjectId'> & { data: Record<string, unknown> }) {
  if (type === 'email.received') return data
  if (type.startsWith('email.')) return emailData(subjectId, data, email)
  // An audience is a segment under its former name.
  return Array.isArray(data.segment_ids) ? { ...data, audience_id: data.segment_ids[0] ?? null } : data
}

function emailData(emailId: string, data: Record<string, unknown>, email: EmailOfEvent | null): Record<string, unknown> {
  const { to, detail } = data
  return { email_id: emailId, ...(email && factsOf(email)), to, ...(isRecord(detail) && shownDetail(detail)) }
}

function factsOf({ messageId, createdAt, from, subject, broadcastId, templateId, tags, headers }: EmailOfEvent): Record<string, unknown> {
  const named = Object.entries(headers).map(([name, value]) => ({ name, value }))
  return {
    message_id: messageId,
    created_at: createdAt.toISOString(),
    from,
    subject,
    ...(broadcastId !== null && { broadcast_id: broadcastId }),
    ...(templateId !== null && { template_id: templateId }),
    ...(tags.length > 0 && { tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])) }),
    ...(named.length > 0 && { headers: named }),
  }
}

/** What only this service's own work needs is left out. */
function shownDetail({ bounce, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(bounce)) return rest
  const { type, subType, message, diagnosticCode } = bounce
  return { ...rest, bounce: { type, subType, message, diagnosticCode } }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
