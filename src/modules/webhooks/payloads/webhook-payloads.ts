import type { Static } from '@sinclair/typebox'
import { withoutPersonalLinksIn } from '../../../lib/personal-links.ts'
import type { EmailOfEvent, WebhookContent } from './webhook-contents.repository.ts'
import { WEBHOOK_EXAMPLES, type WebhookPayload } from './webhook-payloads.schema.ts'

// The body of a request to an endpoint: a payload as JSON, shortened if it would be too long for endpoints.

export const PAYLOAD_BYTES_MAX = 256 * 1024
/** The length of a subject that had to be cut. */
const SUBJECT_LENGTH = 1_000
/** What is left of texts and lists that had to be cut, in this order. */
const REMAINDERS = [
  { characters: 1_000, entries: 20 },
  { characters: 100, entries: 5 },
]

type Payload = { type: string; created_at: string; data: Record<string, unknown> }
type Data = Record<string, unknown>
type Remainder = (typeof REMAINDERS)[number]

/** What is left out or cut, in this order, until the rest fits. The last one always does. */
const STEPS: ((data: Data) => Data)[] = [
  (data) => without(data, 'headers'),
  (data) => without(data, 'tags'),
  (data) => ({ ...data, ...(typeof data.subject === 'string' && { subject: cut(data.subject, SUBJECT_LENGTH) }) }),
  ...REMAINDERS.map((remainder) => (data: Data) => shortenedFields(data, remainder)),
  ({ id, email_id }) => ({
    ...(typeof id === 'string' && { id: cut(id, SUBJECT_LENGTH) }),
    ...(typeof email_id === 'string' && { email_id: cut(email_id, SUBJECT_LENGTH) }),
  }),
]

/** At most PAYLOAD_BYTES_MAX. What had to be shortened says `truncated: true`. */
export function payloadText(payload: Payload): string {
  const whole = JSON.stringify(payload)
  if (Buffer.byteLength(whole) <= PAYLOAD_BYTES_MAX) return whole
  let data = payload.data
  for (const step of STEPS) {
    data = step(data)
    const text = JSON.stringify({ ...payload, data, truncated: true })
    if (Buffer.byteLength(text) <= PAYLOAD_BYTES_MAX) return text
  }
  throw new Error('A payload without its data is too long')
}

const without = (data: Data, field: string): Data => Object.fromEntries(Object.entries(data).filter(([name]) => name !== field))
const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed()

/** Keeps the shape of the data, with the beginnings of texts and lists. */
const shortenedFields = (data: Data, remainder: Remainder): Data =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, shortened(value, remainder)]))

function shortened(value: unknown, remainder: Remainder): unknown {
  if (typeof value === 'string') return cut(value, remainder.characters)
  if (Array.isArray(value)) return value.slice(0, remainder.entries).map((entry) => shortened(entry, remainder))
  return isData(value) ? shortenedFields(value, remainder) : value
}

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null

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
  return { ...envelope, data: withoutPersonalLinksIn(toEventData({ type, data, email, subjectId })) as Record<string, unknown> }
}

function toEventData({
  type,
  data,
  email,
  subjectId,
}: Pick<WebhookContent, 'type' | 'email' | 'subjectId'> & { data: Record<string, unknown> }) {
  if (type === 'email.received') return data
  if (type.startsWith('email.')) return emailData(subjectId, data, email)
  if (type === 'audit.recorded') return auditData(data)
  // An audience is a segment under its former name.
  return Array.isArray(data.segment_ids) ? { ...data, audience_id: data.segment_ids[0] ?? null } : data
}

/** The column of the log, and so what the database notes, is called `act`. */
const auditData = ({ act, ...rest }: Data): Data => ({ ...rest, action: act })

function emailData(emailId: string, data: Record<string, unknown>, email: EmailOfEvent | null): Record<string, unknown> {
  const { to, detail } = data
  return { email_id: emailId, ...(email && toEmailFacts(email)), to, ...(isRecord(detail) && shownDetail(detail)) }
}

function toEmailFacts({
  messageId,
  createdAt,
  from,
  subject,
  broadcastId,
  templateId,
  tags,
  headers,
}: EmailOfEvent): Record<string, unknown> {
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
