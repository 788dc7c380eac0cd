// How a choice of topics is written, for a contact and under the address; in SQL, because all topics of a choice are compared and written at once.
import type { Subscription } from '../../schemas/notifications.ts'
import { lockTopicsShared } from '../contacts/audience-references.ts'
import { appendTopicsNotification } from '../contacts/contact-notifications.ts'
import type { ContactRow } from '../contacts/contact-rows.ts'
import { forgetTopicOptOuts, rememberTopicOptOuts, type TopicChoice } from '../contacts/opt-outs.ts'
import type { Execute, RecordTransaction } from '../database.ts'

/** The ids that are topics of the team. They stay so until the transaction ends. */
export async function lockChosenTopics(execute: Execute, teamId: string, topics: TopicChoice[]): Promise<TopicChoice[]> {
  const found = await lockTopicsShared(
    execute,
    teamId,
    topics.map(({ id }) => id),
  )
  return topics.filter(({ id }) => found.has(id.toLowerCase()))
}

type Choosing = { contact: ContactRow; topics: TopicChoice[]; now: Date }

/**
 * Writes choices of a locked contact for locked topics, and returns which of them changed anything. If a topic is named twice, the last choice
 * counts.
 */
export async function choose(record: RecordTransaction, teamId: string, { contact, topics, now }: Choosing): Promise<TopicChoice[]> {
  const subscriptions = new Map(topics.map(({ id, subscription }) => [id.toLowerCase(), subscription]))
  const chosen = [...subscriptions].map(([id, subscription]) => ({ id, subscription }))
  if (chosen.length === 0) return []
  const changed = await record.execute<TopicChoice>(CHOOSE, [teamId, contact.id, JSON.stringify(chosen), now])
  await rememberChoices(record, teamId, { addressHash: contact.addressHash, topics: chosen, now })
  await appendTopicsNotification(record.execute, { teamId, contact, topics: changed, now })
  return chosen
}

type Remembering = { addressHash: string; topics: TopicChoice[]; now: Date }

export async function rememberChoices(
  { tables, execute }: RecordTransaction,
  teamId: string,
  { addressHash, topics, now }: Remembering,
): Promise<void> {
  await rememberTopicOptOuts(execute, teamId, { addressHashes: [addressHash], topicIds: idsOf(topics, 'opt_out'), now })
  await forgetTopicOptOuts(tables, teamId, addressHash, idsOf(topics, 'opt_in'))
}

const idsOf = (topics: TopicChoice[], wanted: Subscription): string[] =>
  topics.filter(({ subscription }) => subscription === wanted).map(({ id }) => id)

/** An expression over topics `t` and the choices `ct` of one contact. */
export const EFFECTIVE = 'coalesce(ct.subscription, t.default_subscription)'

const CHOOSE = `
with given as (
  select * from json_to_recordset($3::json) as g(id uuid, subscription text)
), written as (
  insert into contact_topics as ct (topic_id, contact_id, subscription, updated_at)
  select id, $2, subscription, $4 from given order by id
  on conflict (topic_id, contact_id) do update set subscription = excluded.subscription, updated_at = excluded.updated_at
    where ct.subscription <> excluded.subscription
)
select g.id, g.subscription from given g
  join topics t on t.id = g.id and t.team_id = $1
  left join contact_topics ct on ct.topic_id = t.id and ct.contact_id = $2
 where ${EFFECTIVE} <> g.subscription order by g.id`
