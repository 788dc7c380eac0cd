// Which recipients of mail with a topic, or of a broadcast, do not get it; in SQL, because thousands are judged at once. Crosses teams: for workers.
import type { Database } from '../database.ts'

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
      if (recipients.length === 0) return new Map()
      const rows = await execute<{ id: string; refusal: TopicRefusal }>(JUDGE, [JSON.stringify(recipients)])
      return new Map(rows.map(({ id, refusal }) => [id, refusal]))
    },
  }
}

// Not a named statement: it is planned for the tables as they are, because a plan from when a team had ten contacts would read a million later.
const JUDGE = `
with judged as (
  select g.id, case
    when g."topicId" is not null and t.id is null then 'topic gone'
    when c.unsubscribed or exists (select from opt_outs o where o.team_id = g."teamId" and o.address_hash = g."addressHash")
      then 'unsubscribed'
    when g."isOfBroadcast" and c.id is null then 'contact gone'
    when ct.subscription = 'opt_out' or exists (
      select from topic_opt_outs o where o.team_id = g."teamId" and o.address_hash = g."addressHash" and o.topic_id = t.id
    ) then 'opted out'
    when ct.subscription is null and t.default_subscription = 'opt_out' then 'not opted in'
  end as refusal
  from json_to_recordset($1::json) as g(id uuid, "teamId" uuid, "topicId" uuid, "isOfBroadcast" boolean, email text, "addressHash" text)
  left join topics t on t.team_id = g."teamId" and t.id = g."topicId"
  left join contacts c on c.team_id = g."teamId" and c.email = g.email
  left join contact_topics ct on ct.topic_id = t.id and ct.contact_id = c.id
)
select id, refusal from judged where refusal is not null`
