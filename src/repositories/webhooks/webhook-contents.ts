// What the messages of webhooks are made of: the notification, and the email that it is about; in SQL, because many are read for each batch.
import { isWebhookEventType, type WebhookEventType } from '../../lib/webhooks/event-types.ts'
import { type Database, statement } from '../database.ts'

export type EmailOfEvent = {
  messageId: string
  createdAt: Date
  from: string
  subject: string
  broadcastId: string | null
  tags: { name: string; value: string }[]
  headers: Record<string, string>
}

export type WebhookContent = {
  type: WebhookEventType
  subjectId: string
  isTest: boolean
  createdAt: Date
  /** Of the notification; null if it is no longer kept, and for samples. */
  data: Record<string, unknown> | null
  /** Null if it was removed, and for what is not about an email. */
  email: EmailOfEvent | null
}

type Stored = Omit<WebhookContent, 'type' | 'email' | 'createdAt'> & {
  id: string
  type: string
  createdAt: Date
  email: (Omit<EmailOfEvent, 'createdAt'> & { createdAt: string }) | null
}

export function webhookContentRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** By the ids of the messages. For workers: it crosses teams and webhooks. */
    async ofAcrossTeams(messages: readonly { webhookId: string; messageId: string }[]): Promise<Map<string, WebhookContent>> {
      const ids = messages.map(({ messageId }) => messageId)
      const rows = await execute<Stored>(CONTENTS, [messages.map(({ webhookId }) => webhookId), ids])
      return new Map(
        rows.flatMap(({ id, type, email, ...row }) =>
          isWebhookEventType(type)
            ? [[id, { ...row, type, email: email && { ...email, createdAt: new Date(email.createdAt) } }] as const]
            : [],
        ),
      )
    },
  }
}

// The arrays beside the joins let PostgreSQL read only the partitions of these ids. A message is the same for every webhook that has it.
const CONTENTS = statement(
  'contents of webhook messages',
  `
select distinct on (m.id) m.id, m.type, m.subject_id as "subjectId", m.is_test as "isTest", m.created_at as "createdAt", n.data,
  case when e.id is not null then jsonb_build_object('messageId', e.message_id, 'createdAt', e.created_at, 'from', e."from", 'subject', e.subject,
    'broadcastId', e.broadcast_id, 'tags', e.tags, 'headers', e.headers) end as email
from unnest($1::uuid[], $2::uuid[]) as w(webhook_id, id)
join webhook_messages m on m.webhook_id = w.webhook_id and m.id = w.id and m.id = any($2::uuid[])
left join notifications n on n.id = m.id and n.id = any($2::uuid[])
left join emails e on e.id = m.subject_id and e.team_id = m.team_id and m.type like 'email.%' and not m.is_test
order by m.id`,
)
