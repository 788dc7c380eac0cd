// Opt-outs, stored under a keyed hash of the address: they outlive the contact; in SQL, because many are written for thousands of addresses at
// once, under locks.

import type { Execute, RecordTransaction } from '../../../db/database.ts'
import type { Subscription } from '../audience-fields.ts'

/**
 * While contacts are given addresses, no opt-out of an address without a contact may be stored. The two would not see each other, and the contact
 * would be subscribed. Until the end of the transaction.
 */
export async function lockOptOutsShared(execute: Execute, teamId: string): Promise<void> {
  await execute('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))::text', [lockName(teamId)])
}

/** Waits for all transactions that have the shared lock; others wait until this one ends. */
export async function lockOptOuts(execute: Execute, teamId: string): Promise<void> {
  await execute('select pg_advisory_xact_lock(hashtextextended($1, 0))::text', [lockName(teamId)])
}

const lockName = (teamId: string): string => `opt-outs ${teamId}`

/** Records that these addresses opted out of all bulk email. */
export async function rememberOptOuts(execute: Execute, teamId: string, addressHashes: string[], now: Date): Promise<void> {
  if (addressHashes.length === 0) return
  await execute(
    `insert into opt_outs (team_id, address_hash, created_at) select $1, h, $3 from unnest($2::text[]) as h order by h on conflict do nothing`,
    [teamId, addressHashes, now],
  )
}

/** Whether this address opted out of all bulk email. */
export async function isOptedOut(tables: RecordTransaction['tables'], teamId: string, addressHash: string): Promise<boolean> {
  return (await tables.optOut.count({ where: { teamId, addressHash } })) > 0
}

/** Removes the opt-out of a person who subscribed again. */
export async function forgetOptOut(tables: RecordTransaction['tables'], teamId: string, addressHash: string): Promise<void> {
  await tables.optOut.deleteMany({ where: { teamId, addressHash } })
}

/** Records that each of these addresses opted out of each of these topics. */
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

/** Removes the opt-outs of a person who subscribed to these topics again. */
export async function forgetTopicOptOuts(
  tables: RecordTransaction['tables'],
  teamId: string,
  addressHash: string,
  topicIds: string[],
): Promise<void> {
  if (topicIds.length > 0) await tables.topicOptOut.deleteMany({ where: { teamId, addressHash, topicId: { in: topicIds } } })
}

/** Topics that a contact has opted out of. They stay until the transaction ends: if one were deleted now, what is remembered of it would remain. */
export async function lockTopicsOptedOut(execute: Execute, teamId: string, contactId: string): Promise<string[]> {
  const rows = await execute<{ id: string }>(LOCK_TOPICS_OPTED_OUT, [teamId, contactId])
  return rows.map(({ id }) => id)
}

const LOCK_TOPICS_OPTED_OUT = `
select t.id from contact_topics ct join topics t on t.id = ct.topic_id and t.team_id = $1
where ct.contact_id = $2 and ct.subscription = 'opt_out' order by t.id for key share of t`

/** What a person decides; absent fields stay as they are. */
export type Decision = { unsubscribed?: boolean; topics: TopicChoice[] }

/** A person's choice, or the wanted choice, for a topic. */
export type TopicChoice = { id: string; subscription: Subscription }

/** Whether a decision changes nothing: neither what is remembered of the address, nor its contact if it has one. It locks nothing. */
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
