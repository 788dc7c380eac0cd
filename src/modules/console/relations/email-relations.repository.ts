// What an email has to do with other records of its team; in SQL, because they are in many tables.

import type { Database } from '../../../db/database.ts'
import { LOWEST_ID } from '../../../lib/ids.ts'

/** A contact has its address as its name, a received email its sender, or null. */
export type NamedRecord<Name = string> = { id: string; name: Name }

export type EmailRelationsRow = {
  /** The key, the grant of a program or the person that sent the email or its broadcast; null if an automation did, or no one who is known. */
  senderId: string | null
  isOfAutomation: boolean
  /** Over SMTP. */
  isSubmitted: boolean
  broadcast: NamedRecord | null
  template: NamedRecord | null
  /** The received email that it answers. */
  answered: NamedRecord<string | null> | null
  /** Contacts with one of its addresses. */
  contacts: NamedRecord[]
  /** Received emails that answer it, the newest first. */
  replies: NamedRecord<string | null>[]
  run: { id: string; automationId: string; automationName: string } | null
}

/** What a webhook was told of an email. */
export type ToldWebhook = { webhookId: string; endpoint: string | null; messageId: string; type: string; createdAt: Date }

/** The recipients among whom contacts are looked for. */
export const ADDRESSES_MAX = 50
/** A survey may be answered by all who got it. */
export const REPLIES_MAX = 20
/** The newest runs of one contact, and how many of all are put in order: no contact has more by far. */
export const RUNS_READ_MAX = 500
const RUNS_ORDERED_MAX = 20_000
/** The newest webhooks of the team, and what they were told. */
const WEBHOOKS_MAX = 20
export const TOLD_MAX = 100

export function emailRelationRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Null if the team has no such email. */
    async find(teamId: string, emailId: string): Promise<EmailRelationsRow | null> {
      const [row] = await execute<Omit<EmailRelationsRow, 'run' | 'isOfAutomation'>>(RELATIONS, [teamId, emailId])
      if (!row) return null
      // An automation has no key.
      if (row.senderId !== LOWEST_ID) return { ...row, isOfAutomation: false, run: null }
      const contactIds = row.contacts.map(({ id }) => id)
      const [run = null] = await execute<NonNullable<EmailRelationsRow['run']>>(RUN, [teamId, contactIds, `%"${emailId}"%`])
      return { ...row, senderId: null, isOfAutomation: true, run }
    },

    /**
     * Returns the messages, the newest first.
     * @param happenings the ids of its notifications, by which webhooks know them
     */
    told: (teamId: string, happenings: string[]): Promise<ToldWebhook[]> => execute<ToldWebhook>(TOLD, [teamId, happenings]),
  }
}

const named = (table: string, id: string): string =>
  `(select json_build_object('id', r.id, 'name', r.name) from ${table} r where r.team_id = $1 and r.id = ${id})`

const RELATIONS = `
select coalesce(e.api_key_id, (select b.api_key_id from broadcasts b where b.team_id = $1 and b.id = e.broadcast_id)) as "senderId",
  exists (select from submitted_messages s where s.team_id = $1 and s.email_id = e.id) as "isSubmitted",
  ${named('broadcasts', 'e.broadcast_id')} as broadcast, ${named('templates', 'e.template_id')} as template,
  (select json_build_object('id', r.id, 'name', nullif(r."from", '')) from jsonb_each_text(e.headers) h
     join received_emails r on r.team_id = $1 and hashtextextended(r.message_id, 0) = hashtextextended(h.value, 0) and r.message_id = h.value
    where lower(h.key) = 'in-reply-to' order by r.id desc limit 1) as answered,
  (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.email) order by c.email), '[]') from contacts c
    where c.team_id = $1 and c.email = any(array(select lower(address) from recipients where team_id = $1 and email_id = e.id order by id limit ${ADDRESSES_MAX}))) as contacts,
  (select coalesce(json_agg(a), '[]') from (
    select r.id, nullif(r."from", '') as name from received_emails r
    where r.team_id = $1 and r.in_reply_to_email_id = e.id order by r.id desc limit ${REPLIES_MAX}
  ) a) as replies
from emails e where e.team_id = $1 and e.id = $2`

/**
 * The id of the email stands in what became of the step that sent it. Materialized, because only the index of contacts finds their runs, and ordered by
 * their ids alone, because what became of their steps is large.
 */
const RUN = `
with of_contact as materialized (
  select id from automation_runs where contact_id = any($2::uuid[]) limit ${RUNS_ORDERED_MAX}
), newest as materialized (
  select id from of_contact order by id desc limit ${RUNS_READ_MAX}
)
select r.id, a.id as "automationId", a.name as "automationName"
  from newest n join automation_runs r on r.id = n.id and r.team_id = $1 join automations a on a.id = r.automation_id and a.team_id = $1 and a.deleted_at is null
  where r.state::text like $3 limit 1`

const TOLD = `
select m.webhook_id as "webhookId", w.endpoint, m.id as "messageId", m.type, m.created_at as "createdAt"
from (select id, endpoint from webhooks where team_id = $1 order by id desc limit ${WEBHOOKS_MAX}) w
join webhook_messages m on m.webhook_id = w.id and m.id = any($2::uuid[])
order by m.id desc limit ${TOLD_MAX}`
