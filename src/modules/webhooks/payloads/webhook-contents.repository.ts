// What the messages of webhooks are made of: the notification, and the email that it is about; in SQL, because many are read for each batch.

import { type Database, type Execute, statement } from '../../../db/database.ts'
import { MESSAGE_ID } from '../../emails/message-ids.ts'
import { isWebhookEventType, type WebhookEventType } from '../webhooks.schema.ts'

export type EmailOfEvent = {
  messageId: string
  createdAt: Date
  from: string
  subject: string
  broadcastId: string | null
  templateId: string | null
  tags: { name: string; value: string }[]
  headers: Record<string, string>
  /** The trace in which the email was accepted; null if none is known. */
  traceparent: string | null
}

export type WebhookContent = {
  type: WebhookEventType
  subjectId: string
  isTest: boolean
  createdAt: Date
  /** The data of the notification; null if it is no longer kept, and for samples. */
  data: Record<string, unknown> | null
  /** Null if it was removed, and for what is not about an email. */
  email: EmailOfEvent | null
}

type MessageReference = { webhookId: string; messageId: string }

/** Keyed by the ids of the messages. */
export type WebhookContents = Map<string, WebhookContent>

type StoredContent = Omit<WebhookContent, 'type' | 'email' | 'createdAt'> & {
  id: string
  type: string
  createdAt: Date
  email: (Omit<EmailOfEvent, 'createdAt'> & { createdAt: string }) | null
}

export function webhookContentRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /** Keyed by the ids of the messages. For workers: it crosses teams and webhooks. */
    ofAcrossTeams(messages: readonly MessageReference[]): Promise<WebhookContents> {
      return transaction((inside) => readContents(inside, messages), { plans: 'row by row' })
    },
  }
}

/** Runs in a transaction that plans row by row. */
export async function readContents(inside: Execute, messages: readonly MessageReference[]): Promise<WebhookContents> {
  const rows = await inside<StoredContent>(CONTENTS, [
    messages.map(({ webhookId }) => webhookId),
    messages.map(({ messageId }) => messageId),
  ])
  return new Map(
    rows.flatMap(({ id, type, email, ...row }) =>
      isWebhookEventType(type) ? [[id, { ...row, type, email: email && { ...email, createdAt: new Date(email.createdAt) } }] as const] : [],
    ),
  )
}

// One probe for each, in the partition of its id, however many rows PostgreSQL believes that a partition has: a limit inside `lateral` cannot become
// a join of whole tables. A message is the same for every webhook that has it.
const CONTENTS = statement(
  'contents of webhook messages',
  `
select m.id, m.type, m.subject_id as "subjectId", m.is_test as "isTest", m.created_at as "createdAt", n.data,
  case when e.id is not null then jsonb_build_object('messageId', ${MESSAGE_ID}, 'createdAt', e.created_at, 'from', e."from", 'subject', e.subject,
    'broadcastId', e.broadcast_id, 'templateId', e.template_id, 'tags', coalesce(e.tags, '[]'), 'headers', coalesce(e.headers, '{}'), 'traceparent', e.traceparent) end as email
from (select distinct on (id) webhook_id, id from unnest($1::uuid[], $2::uuid[]) as g(webhook_id, id)) w
cross join lateral (select * from webhook_messages m where m.webhook_id = w.webhook_id and m.id = w.id limit 1) m
left join lateral (select n.data from notifications n where n.subject_id = m.subject_id and n.id = m.id limit 1) n on true
left join lateral (select e.* from emails e where e.id = m.subject_id and e.team_id = m.team_id limit 1) e on m.type like 'email.%' and not m.is_test`,
)
