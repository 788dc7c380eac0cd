// What people decided for good, under a keyed hash of their address: it outlives the contact. In SQL, because much of it is written for thousands of
// addresses at once, under locks.
import type { Subscription } from '../../schemas/notifications.ts'
import type { Execute, RecordTransaction } from '../database.ts'

/**
 * While contacts come to an address, nobody is remembered who has none: the two would not see each other, and the contact would be subscribed.
 * Until the end of the transaction.
 */
export async function holdOptOuts(execute: Execute, teamId: string): Promise<void> {
  await execute('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))::text', [lockName(teamId)])
}

/** Waits for all who hold them; others wait until the transaction ends. */
export async function lockOptOuts(execute: Execute, teamId: string): Promise<void> {
  await execute('select pg_advisory_xact_lock(hashtextextended($1, 0))::text', [lockName(teamId)])
}

const lockName = (teamId: string): string => `opt-outs ${teamId}`

/** These addresses want no more mail to many. */
export async function rememberOptOuts(execute: Execute, teamId: string, addressHashes: string[], now: Date): Promise<void> {
  if (addressHashes.length === 0) return
  await execute(
    `insert into opt_outs (team_id, address_hash, created_at) select $1, h, $3 from unnest($2::text[]) as h order by h on conflict do nothing`,
    [teamId, addressHashes, now],
  )
}

/** Whether this address wants no more mail to many. */
export async function isOptedOut(tables: RecordTransaction['tables'], teamId: string, addressHash: string): Promise<boolean> {
  return (await tables.optOut.count({ where: { teamId, addressHash } })) > 0
}

/** This person wants mail again, and said so. */
export async function forgetOptOut(tables: RecordTransaction['tables'], teamId: string, addressHash: string): Promise<void> {
  await tables.optOut.deleteMany({ where: { teamId, addressHash } })
}

/** Each of these addresses wants no more mail of any of these topics. */
export async function rememberTopicOptOuts(
  execute: Execute,
  teamId: string,
  { addressHashes, topicIds, now }: { addressHashes: string[]; topicIds: string[]; now: Date },
): Promise<void> {
  if (addressHashes.length === 0 || topicIds.length === 0) return
  await execute(
    `insert into topic_opt_outs (team_id, address_hash, topic_id, created_at)
     select $1, h, t, $4 from unnest($2::text[]) as h, unnest($3::uuid[]) as t order by h, t on conflict do nothing`,
    [teamId, addressHashes, topicIds, now],
  )
}

/** This person wants these topics again, and said so. */
export async function forgetTopicOptOuts(
  tables: RecordTransaction['tables'],
  teamId: string,
  addressHash: string,
  topicIds: string[],
): Promise<void> {
  if (topicIds.length > 0) await tables.topicOptOut.deleteMany({ where: { teamId, addressHash, topicId: { in: topicIds } } })
}

/** Topics that a contact wants no mail of. They stay until the transaction ends: one that went now would leave behind what is remembered of it. */
export async function keepTopicsOptedOut(execute: Execute, teamId: string, contactId: string): Promise<string[]> {
  const rows = await execute<{ id: string }>(KEEP_TOPICS_OPTED_OUT, [teamId, contactId])
  return rows.map(({ id }) => id)
}

const KEEP_TOPICS_OPTED_OUT = `
select t.id from contact_topics ct join topics t on t.id = ct.topic_id and t.team_id = $1
where ct.contact_id = $2 and ct.subscription = 'opt_out' order by t.id for key share of t`

/** What a person decides; what is not in it stays as it is. */
export type Decision = { unsubscribed?: boolean; topics: TopicChoice[] }

/** What a person wants, or shall want, of a topic. */
export type TopicChoice = { id: string; subscription: Subscription }

/** Whether a decision changes nothing: neither what is remembered of the address, nor its contact if it has one. Nobody waits for the question. */
export async function isDecided(
  execute: Execute,
  teamId: string,
  addressHash: string,
  { unsubscribed, topics }: Decision,
): Promise<boolean> {
  const [row] = await execute<{ isDecided: boolean }>(IS_DECIDED, [teamId, addressHash, unsubscribed ?? null, JSON.stringify(topics)])
  return row?.isDecided ?? false
}

const IS_DECIDED = `
select ($3::boolean is null or (
    exists (select from opt_outs where team_id = $1 and address_hash = $2) = $3
    and not exists (select from contacts where team_id = $1 and address_hash = $2 and unsubscribed <> $3)))
  and not exists (
    select from json_to_recordset($4::json) as g(id uuid, subscription text) join topics t on t.team_id = $1 and t.id = g.id
     where exists (select from topic_opt_outs where team_id = $1 and address_hash = $2 and topic_id = t.id) <> (g.subscription = 'opt_out')
        or exists (
          select from contacts c left join contact_topics ct on ct.topic_id = t.id and ct.contact_id = c.id
           where c.team_id = $1 and c.address_hash = $2 and ct.subscription is distinct from g.subscription)) as "isDecided"`
