// What an email has to do with other records of its team; in SQL, because they are in many tables.

import type { Database } from '../../db/database.ts'
import { LOWEST_ID } from '../../lib/ids.ts'

export type EmailRelations = {
  /** The key, or the grant of a program, that sent the email or its broadcast; null if an automation did. */
  apiKeyId: string | null
  /** Over SMTP. */
  isHandedIn: boolean
  broadcast: NamedRecord | null
  template: NamedRecord | null
  /** Contacts with one of its addresses. */
  contacts: NamedRecord[]
  /** Received emails, by the address of their sender, the newest first. */
  answers: NamedRecord[]
  run: { id: string; automationId: string; automation: string } | null
  /** Among so many of the newest runs of the contact it was not found, and there are more; otherwise null. */
  newestRuns: number | null
}

/** A contact has its address as its name. */
export type NamedRecord = { id: string; name: string }

/** What a webhook was told of an email. */
export type ToldWebhook = { webhookId: string; endpoint: string | null; messageId: string; type: string; createdAt: Date }

/** The recipients among whom contacts are looked for. */
const ADDRESSES_MAX = 50
/** One more than is shown. A survey may be answered by all who got it. */
const ANSWERS_MAX = 21
/** The newest runs of one contact, and how many of all are put in order: no contact has more by far. */
const RUNS_READ_MAX = 500
const RUNS_ORDERED_MAX = 20_000
/** The newest webhooks of the team, and what they were told. */
const WEBHOOKS_MAX = 20
const TOLD_MAX = 100

export function emailRelationRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Null if the team has no such email. */
    async find(teamId: string, emailId: string): Promise<EmailRelations | null> {
      const [row] = await execute<Omit<EmailRelations, 'run' | 'newestRuns'>>(RELATIONS, [teamId, emailId])
      if (!row) return null
      // An automation has no key.
      if (row.apiKeyId !== LOWEST_ID) return { ...row, run: null, newestRuns: null }
      const contactIds = row.contacts.map(({ id }) => id)
      const [found] = await execute<{ run: EmailRelations['run']; hasMore: boolean }>(RUN, [teamId, contactIds, `%"${emailId}"%`])
      const run = found?.run ?? null
      return { ...row, apiKeyId: null, run, newestRuns: run === null && found?.hasMore ? RUNS_READ_MAX : null }
    },

    /**
     * Returns the messages in the order in which it happened.
     * @param happenings the ids of its notifications, by which webhooks know them
     */
    told: (teamId: string, happenings: string[]): Promise<ToldWebhook[]> => execute<ToldWebhook>(TOLD, [teamId, happenings]),
  }
}

const named = (table: string, id: string): string =>
  `(select json_build_object('id', r.id, 'name', r.name) from ${table} r where r.team_id = $1 and r.id = ${id})`

const RELATIONS = `
select coalesce(e.api_key_id, (select b.api_key_id from broadcasts b where b.team_id = $1 and b.id = e.broadcast_id)) as "apiKeyId",
  exists (select from submitted_messages s where s.team_id = $1 and s.email_id = e.id) as "isHandedIn",
  ${named('broadcasts', 'e.broadcast_id')} as broadcast, ${named('templates', 'e.template_id')} as template,
  (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.email) order by c.email), '[]') from contacts c
    where c.team_id = $1 and c.email = any(array(select lower(address) from recipients where team_id = $1 and email_id = e.id order by id limit ${ADDRESSES_MAX}))) as contacts,
  (select coalesce(json_agg(a), '[]') from (
    select r.id, r."from" as name from received_emails r
    where r.team_id = $1 and r.in_reply_to_email_id = e.id order by r.id desc limit ${ANSWERS_MAX}
  ) a) as answers
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
select (select count(*) from of_contact) > ${RUNS_READ_MAX} as "hasMore", (
  select json_build_object('id', r.id, 'automationId', a.id, 'automation', a.name)
  from newest n join automation_runs r on r.id = n.id and r.team_id = $1 join automations a on a.id = r.automation_id and a.team_id = $1 and a.deleted_at is null
  where r.state::text like $3 limit 1
) as run`

const TOLD = `
select m.webhook_id as "webhookId", w.endpoint, m.id as "messageId", m.type, m.created_at as "createdAt"
from (select id, endpoint from webhooks where team_id = $1 order by id desc limit ${WEBHOOKS_MAX}) w
join webhook_messages m on m.webhook_id = w.id and m.id = any($2::uuid[])
order by m.id desc limit ${TOLD_MAX}`
