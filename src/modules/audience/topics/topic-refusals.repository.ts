// Which recipients of mail with a topic, or of a broadcast, do not get it; in SQL, because thousands are judged at once. Crosses teams: for workers.
import type { Database } from '../../../db/database.ts'

export type TopicRefusal = 'topic gone' | 'contact gone' | 'unsubscribed' | 'opted out' | 'not opted in'

/** A recipient, under an id that the caller chooses. */
export type TopicRecipient = {
  id: string
  teamId: string
  /** Null if the mail has none, and goes to everyone who gets bulk mail. */
  topicId: string | null
  /** Only contacts get mail of a broadcast. */
  isOfBroadcast?: boolean
  /** The address as contacts store it. */
  email: string
  /** Also for a contact, because what was decided under its address comes first. */
  addressHash: string
}

export function topicRefusalRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Keyed by the ids of the recipients. Recipients who get the mail are not in it. */
    async findAcrossTeams(recipients: TopicRecipient[]): Promise<Map<string, TopicRefusal>> {
      const refusalsIn = async (sql: string, some: TopicRecipient[]) =>
        some.length > 0 ? execute<{ id: string; refusal: TopicRefusal }>(sql, [JSON.stringify(some)]) : []
      const [withTopic, others] = [
        recipients.filter(({ topicId }) => topicId !== null),
        recipients.filter(({ topicId }) => topicId === null),
      ]
      const rows = await Promise.all([refusalsIn(REFUSALS_WITH_TOPIC, withTopic), refusalsIn(REFUSALS_WITHOUT_TOPIC, others)])
      return new Map(rows.flat().map(({ id, refusal }) => [id, refusal]))
    },
  }
}

const UNSUBSCRIBED = `c.unsubscribed or exists (select from opt_outs o where o.team_id = g."teamId" and o.address_hash = g."addressHash")`
const RECIPIENTS = `json_to_recordset($1::json) as g(id uuid, "teamId" uuid, "topicId" uuid, "isOfBroadcast" boolean, email text, "addressHash" text)`
/** Probed for each, because PostgreSQL takes one recipient for a hundred, and would read all contacts of a middle-sized team for them. */
const CONTACT = `left join lateral (select id, unsubscribed from contacts where team_id = g."teamId" and email = g.email offset 0) c on true`

// Not named statements: they are planned for the tables as they are, because a plan from when a team had ten contacts would read a million later. To
// plan one takes longer than its work for one recipient; without topics, half as long.
const REFUSALS_WITH_TOPIC = `
with judged as (
  select g.id, case
    when t.id is null then 'topic gone'
    when ${UNSUBSCRIBED} then 'unsubscribed'
    when g."isOfBroadcast" and c.id is null then 'contact gone'
    when ct.subscription = 'opt_out' or exists (
      select from topic_opt_outs o where o.team_id = g."teamId" and o.address_hash = g."addressHash" and o.topic_id = t.id
    ) then 'opted out'
    when ct.subscription is null and t.default_subscription = 'opt_out' then 'not opted in'
  end as refusal
  from ${RECIPIENTS}
  left join topics t on t.team_id = g."teamId" and t.id = g."topicId"
  ${CONTACT}
  left join lateral (select subscription from contact_topics where topic_id = t.id and contact_id = c.id offset 0) ct on true
)
select id, refusal from judged where refusal is not null`

const REFUSALS_WITHOUT_TOPIC = `
with judged as (
  select g.id, case when ${UNSUBSCRIBED} then 'unsubscribed' when g."isOfBroadcast" and c.id is null then 'contact gone' end as refusal
  from ${RECIPIENTS}
  ${CONTACT}
)
select id, refusal from judged where refusal is not null`
