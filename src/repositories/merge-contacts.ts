// The one way in which contacts come to be, one or thousands at a time. Whoever calls can add and unsubscribe here, and never resubscribe: what a
// person decided is only undone by that person, or by a change of that very contact.
import type { Subscription } from '../schemas/notifications.ts'
import type { Execute } from './database.ts'
import { rememberOptOuts, rememberTopicOptOuts } from './opt-outs.ts'

export type ContactToMerge = {
  /** For a contact that is new. */
  id: string
  email: string
  addressHash: string
  /** Null: not given, so that what is there stays. */
  firstName: string | null
  lastName: string | null
  /** False: not said. */
  unsubscribed: boolean
  /** By the number of their property. */
  properties: Record<string, string | number>
}

export type MergeOptions = {
  teamId: string
  /** `skip` leaves contacts that exist exactly as they are. */
  onConflict: 'upsert' | 'skip'
  /** Segments without a filter, of this team. */
  segmentIds: string[]
  /** Topics of this team. */
  topics: { id: string; subscription: Subscription }[]
  now: Date
}

export type MergedContact = { id: string; email: string; isCreated: boolean }

/** What was created or changed, in no order; contacts that were skipped are not in it. No two of `contacts` may have the same address. */
export async function mergeContacts(execute: Execute, contacts: ContactToMerge[], options: MergeOptions): Promise<MergedContact[]> {
  const { teamId, onConflict, segmentIds, topics, now } = options
  if (contacts.length === 0) return []
  // Always in the same order, so that two merges of the same people wait for each other instead of blocking each other.
  const sorted = contacts.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  const merged = await execute<MergedContact>(onConflict === 'upsert' ? UPSERT : INSERT, [teamId, JSON.stringify(sorted), now])
  const hashes = new Map(contacts.map(({ email, addressHash }) => [email, addressHash]))
  const hashesOf = (some: MergedContact[]) => some.flatMap(({ email }) => hashes.get(email) ?? [])
  const ids = merged.map(({ id }) => id)

  const unsubscribed = new Set(contacts.filter((contact) => contact.unsubscribed).map(({ email }) => email))
  await rememberOptOuts(execute, teamId, hashesOf(merged.filter(({ email }) => unsubscribed.has(email))), now)
  if (segmentIds.length > 0) await execute(ADD_TO_SEGMENTS, [ids, segmentIds, now])
  const created = merged.filter(({ isCreated }) => isCreated)
  await restoreTopicOptOuts(
    execute,
    teamId,
    created.map(({ id, email }) => ({ id, addressHash: hashes.get(email) ?? '' })),
    now,
  )
  if (topics.length > 0) {
    const optedOut = topics.filter(({ subscription }) => subscription === 'opt_out').map(({ id }) => id)
    await execute(SUBSCRIBE, [ids, JSON.stringify(topics), now])
    await rememberTopicOptOuts(execute, teamId, { addressHashes: hashesOf(merged), topicIds: optedOut, now })
  }
  return merged
}

/** What was decided under an address holds for the contact that has it now. */
export async function restoreTopicOptOuts(
  execute: Execute,
  teamId: string,
  contacts: { id: string; addressHash: string }[],
  now: Date,
): Promise<void> {
  if (contacts.length > 0) await execute(RESTORE_TOPIC_OPT_OUTS, [teamId, JSON.stringify(contacts), now])
}

const GIVEN = `
from json_to_recordset($2::json) as g(id uuid, email text, "addressHash" text, "firstName" text, "lastName" text, unsubscribed boolean, properties jsonb)`

const INSERT_CONTACTS = `
insert into contacts (id, team_id, email, first_name, last_name, unsubscribed, properties, created_at, updated_at)
select g.id, $1, g.email, g."firstName", g."lastName",
  g.unsubscribed or exists (select from opt_outs o where o.team_id = $1 and o.address_hash = g."addressHash"), g.properties, $3, $3
${GIVEN}`

const INSERT = `${INSERT_CONTACTS}
on conflict (team_id, email) do nothing returning id, email, true as "isCreated"`

// A row that this statement inserted has no transaction that replaced it: xmax is 0.
const UPSERT = `${INSERT_CONTACTS}
on conflict (team_id, email) do update set
  first_name = coalesce(excluded.first_name, contacts.first_name),
  last_name = coalesce(excluded.last_name, contacts.last_name),
  unsubscribed = contacts.unsubscribed or excluded.unsubscribed,
  properties = contacts.properties || excluded.properties,
  updated_at = excluded.updated_at
returning id, email, xmax = 0 as "isCreated"`

const ADD_TO_SEGMENTS = `
insert into contact_segments (segment_id, contact_id, created_at)
select s, c, $3 from unnest($1::uuid[]) as c, unnest($2::uuid[]) as s order by s, c
on conflict do nothing`

const RESTORE_TOPIC_OPT_OUTS = `
insert into contact_topics (topic_id, contact_id, subscription, updated_at)
select o.topic_id, g.id, 'opt_out', $3
from json_to_recordset($2::json) as g(id uuid, "addressHash" text)
join topic_opt_outs o on o.team_id = $1 and o.address_hash = g."addressHash"
join topics t on t.id = o.topic_id
order by o.topic_id, g.id
on conflict (topic_id, contact_id) do update set subscription = excluded.subscription, updated_at = excluded.updated_at`

const SUBSCRIBE = `
insert into contact_topics (topic_id, contact_id, subscription, updated_at)
select t.id, c, t.subscription, $3
from unnest($1::uuid[]) as c, json_to_recordset($2::json) as t(id uuid, subscription text) order by t.id, c
on conflict (topic_id, contact_id) do update set subscription = excluded.subscription, updated_at = excluded.updated_at
where contact_topics.subscription = 'opt_in' and excluded.subscription = 'opt_out'`
