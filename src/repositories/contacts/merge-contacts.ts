// The one way in which contacts come to be, one or thousands at a time. Whoever calls can add and unsubscribe here, and never resubscribe: what a
// person decided is only undone by that person, or by a change of that very contact.
import { type FieldText, letterPairs, textOfNumber } from '../../lib/audience/letter-pairs.ts'
import type { Subscription } from '../../schemas/notifications.ts'
import type { Execute } from '../database.ts'
import { holdOptOuts, rememberOptOuts, rememberTopicOptOuts } from './opt-outs.ts'

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
  /** `skip` leaves contacts that exist as they are, but for whoever leaves. */
  onConflict: 'upsert' | 'skip'
  /** Segments without a filter, of this team, which the caller has locked. */
  segmentIds: string[]
  /** Topics of this team, which the caller has locked. */
  topics: TopicChoice[]
  now: Date
}

type TopicChoice = { id: string; subscription: Subscription }

type AddressedContact = { id: string; addressHash: string }

export type MergedContact = { id: string; email: string; isCreated: boolean }

/** What was created or changed, in no order; contacts that were skipped are not in it. No two of `contacts` may have the same address. */
export async function mergeContacts(execute: Execute, contacts: ContactToMerge[], options: MergeOptions): Promise<MergedContact[]> {
  return contacts.length === 0 ? [] : (await merge(execute, contacts, options)).merged
}

/** One contact, into the one that has its address if there is one. `changedTopics`: those of which it wants something else than before. */
export async function mergeContact(
  execute: Execute,
  contact: ContactToMerge,
  options: Omit<MergeOptions, 'onConflict'>,
): Promise<MergedContact & { changedTopics: TopicChoice[] }> {
  const { merged, changedTopics } = await merge(execute, [contact], { ...options, onConflict: 'upsert' })
  const [only] = merged
  if (!only) throw new Error('A merge of one contact came to nothing')
  return { ...only, changedTopics }
}

type Merge = {
  merged: MergedContact[]
  /** Of a single contact: of thousands nobody is told. */
  changedTopics: TopicChoice[]
}

async function merge(execute: Execute, contacts: ContactToMerge[], options: MergeOptions): Promise<Merge> {
  const { teamId, segmentIds, topics, now } = options
  await holdOptOuts(execute, teamId)
  // Always in the same order, so that two merges of the same people wait for each other instead of blocking each other.
  const sorted = contacts.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  const written = await execute<MergedContact>(insertSql(contacts, options), [teamId, now, ...columnsOf(sorted)])
  const created = written.filter(({ isCreated }) => isCreated)
  const merged = options.onConflict === 'upsert' ? written : created
  const hashes = new Map(contacts.map(({ email, addressHash }) => [email, addressHash]))
  const hashesOf = (some: MergedContact[]) => some.flatMap(({ email }) => hashes.get(email) ?? [])
  const addressed = (some: MergedContact[]) => some.map(({ id, email }) => ({ id, addressHash: hashes.get(email) ?? '' }))
  const ids = merged.map(({ id }) => id)
  await restoreOptOuts(execute, teamId, addressed(merged))
  await rememberOptOuts(execute, teamId, hashesOfLeaving(contacts), now)
  if (segmentIds.length > 0) await execute(ADD_TO_SEGMENTS, [ids, segmentIds, now])
  const changedTopics = await restoreTopicOptOuts(execute, teamId, addressed(created), now)
  if (topics.length > 0) {
    const optedOut = optedOutOf(options).map(({ id }) => id)
    changedTopics.push(...(await subscribe(execute, ids, topics, now)))
    await rememberTopicOptOuts(execute, teamId, { addressHashes: hashesOf(merged), topicIds: optedOut, now })
  }
  if (options.onConflict === 'skip') await optOutAnyway(execute, contacts, options)
  return { merged, changedTopics }
}

const hashesOfLeaving = (contacts: ContactToMerge[]): string[] =>
  contacts.filter(({ unsubscribed }) => unsubscribed).map(({ addressHash }) => addressHash)

const optedOutOf = ({ topics }: Pick<MergeOptions, 'topics'>): TopicChoice[] =>
  topics.filter(({ subscription }) => subscription === 'opt_out')

/** Of contacts that are skipped only this is taken: that they are unsubscribed, or want a topic no more. Where nobody leaves, none is locked. */
function insertSql(contacts: ContactToMerge[], options: MergeOptions): string {
  if (options.onConflict === 'upsert') return UPSERT
  return contacts.some(({ unsubscribed }) => unsubscribed) || optedOutOf(options).length > 0 ? INSERT_OR_LEAVE : INSERT
}

/** Contacts that are not merged opt out all the same. They are held, as by INSERT_OR_LEAVE, so that none of them goes meanwhile and leaves its choice behind. */
export async function optOutAnyway(
  execute: Execute,
  contacts: Pick<ContactToMerge, 'addressHash'>[],
  options: Pick<MergeOptions, 'teamId' | 'topics' | 'now'>,
): Promise<void> {
  const { teamId, now } = options
  const optedOut = optedOutOf(options)
  if (optedOut.length === 0) return
  const addressHashes = contacts.map(({ addressHash }) => addressHash)
  const all = await execute<{ id: string }>('select id from contacts where team_id = $1 and address_hash = any($2::text[])', [
    teamId,
    addressHashes,
  ])
  const ids = all.map(({ id }) => id)
  await subscribe(execute, ids, optedOut, now)
  await rememberTopicOptOuts(execute, teamId, { addressHashes, topicIds: optedOut.map(({ id }) => id), now })
}

/** What was not chosen yet, and whatever is left; nobody is subscribed again. Answers what changed, of a single contact. */
function subscribe(execute: Execute, contactIds: string[], topics: TopicChoice[], now: Date): Promise<TopicChoice[]> {
  return execute<TopicChoice>(`${SUBSCRIBE} ${returningOf(contactIds)}`, [contactIds, JSON.stringify(topics), now])
}

const returningOf = (contacts: unknown[]): string => (contacts.length === 1 ? 'returning topic_id as id, subscription' : '')

/**
 * What was decided under an address holds for the contact that has it now. A statement of its own, behind the one that gives the address to the
 * contact: that one may have waited while somebody unsubscribed the contact before and deleted it, and would not see it.
 */
export async function restoreOptOuts(execute: Execute, teamId: string, contacts: AddressedContact[]): Promise<void> {
  if (contacts.length > 0) await execute(RESTORE_OPT_OUTS, [teamId, ...addressesOf(contacts)])
}

/** The same for topics. Answers what changed, of a single contact. */
export async function restoreTopicOptOuts(
  execute: Execute,
  teamId: string,
  contacts: AddressedContact[],
  now: Date,
): Promise<TopicChoice[]> {
  if (contacts.length === 0 || (contacts.length > 1 && !(await hasTopicOptOuts(execute, teamId)))) return []
  return execute<TopicChoice>(`${RESTORE_TOPIC_OPT_OUTS} ${returningOf(contacts)}`, [teamId, ...addressesOf(contacts), now])
}

/** Most teams have none, and need not look for those of thousands of contacts. */
async function hasTopicOptOuts(execute: Execute, teamId: string): Promise<boolean> {
  const rows = await execute('select from topic_opt_outs where team_id = $1 limit 1', [teamId])
  return rows.length > 0
}

const addressesOf = (contacts: AddressedContact[]): string[][] => [
  contacts.map(({ id }) => id),
  contacts.map(({ addressHash }) => addressHash),
]

/** An array for each column. */
const columnsOf = (contacts: ContactToMerge[]): unknown[] => [
  contacts.map(({ id }) => id),
  contacts.map(({ email }) => email),
  contacts.map(({ addressHash }) => addressHash),
  contacts.map(({ firstName }) => firstName),
  contacts.map(({ lastName }) => lastName),
  contacts.map(({ unsubscribed }) => unsubscribed),
  contacts.map(({ properties }) => JSON.stringify(properties)),
  contacts.map(letterPairsOf),
]

/** Of everything that filters search, but for the address. */
export const letterPairsOf = ({ firstName, lastName, properties }: SearchedValues): string =>
  letterPairs(Object.entries({ ...properties, first_name: firstName, last_name: lastName }).flatMap(fieldText))

type SearchedValues = { firstName: string | null; lastName: string | null; properties: Record<string, string | number | null> }

const fieldText = ([field, value]: [string, string | number | null]): FieldText[] =>
  value === null ? [] : [[field, typeof value === 'number' ? textOfNumber(value) : value]]

const INSERT_CONTACTS = `
insert into contacts (id, team_id, email, address_hash, first_name, last_name, unsubscribed, properties, letter_pairs, created_at, updated_at)
select g.id, $1, g.email, g.address_hash, g.first_name, g.last_name, g.unsubscribed, g.properties, g.letter_pairs, $2, $2
from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::jsonb[], $10::bigint[])
  as g(id, email, address_hash, first_name, last_name, unsubscribed, properties, letter_pairs)`

const INSERT = `${INSERT_CONTACTS}
on conflict (team_id, email) do nothing returning id, email, true as "isCreated"`

// Contacts that are there are locked, also those that stay as they are.
const INSERT_OR_LEAVE = `${INSERT_CONTACTS}
on conflict (team_id, email) do update set unsubscribed = true, updated_at = excluded.updated_at
where excluded.unsubscribed and not contacts.unsubscribed
returning id, email, xmax = 0 as "isCreated"`

// A row that this statement inserted has no transaction that replaced it: xmax is 0.
const UPSERT = `${INSERT_CONTACTS}
on conflict (team_id, email) do update set
  first_name = coalesce(excluded.first_name, contacts.first_name),
  last_name = coalesce(excluded.last_name, contacts.last_name),
  unsubscribed = contacts.unsubscribed or excluded.unsubscribed,
  properties = contacts.properties || excluded.properties,
  letter_pairs = contacts.letter_pairs | excluded.letter_pairs,
  updated_at = excluded.updated_at
returning id, email, xmax = 0 as "isCreated"`

const ADD_TO_SEGMENTS = `
insert into contact_segments (segment_id, contact_id, created_at)
select s, c, $3 from unnest($1::uuid[]) as c, unnest($2::uuid[]) as s order by s, c
on conflict do nothing`

const RESTORE_OPT_OUTS = `
update contacts c set unsubscribed = true
from unnest($2::uuid[], $3::text[]) as g(id, address_hash)
join opt_outs o on o.team_id = $1 and o.address_hash = g.address_hash
where c.team_id = $1 and c.id = g.id and not c.unsubscribed`

// A topic that went now would leave the choice behind.
const RESTORE_TOPIC_OPT_OUTS = `
insert into contact_topics (topic_id, contact_id, subscription, updated_at)
select o.topic_id, g.id, 'opt_out', $4
from unnest($2::uuid[], $3::text[]) as g(id, address_hash)
join topic_opt_outs o on o.team_id = $1 and o.address_hash = g.address_hash
join topics t on t.id = o.topic_id
order by o.topic_id, g.id for key share of t
on conflict (topic_id, contact_id) do update set subscription = excluded.subscription, updated_at = excluded.updated_at
where contact_topics.subscription <> excluded.subscription`

const SUBSCRIBE = `
insert into contact_topics (topic_id, contact_id, subscription, updated_at)
select t.id, c, t.subscription, $3
from unnest($1::uuid[]) as c, json_to_recordset($2::json) as t(id uuid, subscription text) order by t.id, c
on conflict (topic_id, contact_id) do update set subscription = excluded.subscription, updated_at = excluded.updated_at
where contact_topics.subscription = 'opt_in' and excluded.subscription = 'opt_out'`
