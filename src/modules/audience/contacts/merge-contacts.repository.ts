// Creates contacts, one or thousands at a time, and nothing else does; in SQL, because it is set-based. Callers can add and unsubscribe here, but never subscribe again: only the
// person, or a change of that contact, undoes what the person decided.
import type { Execute } from '../../../db/database.ts'
import type { Subscription } from '../audience-fields.ts'
import { lockOptOutsShared, rememberOptOuts, rememberTopicOptOuts } from './opt-outs.repository.ts'

// Records in 64 bits which pairs of letters stand side by side in the texts and numbers of a contact. A searched text can only be where all its
// pairs are. Comparing bits costs far less than reading a value. (Superimposed coding, C. N. Mooers 1949; a Bloom filter with one hash.)

/** Some languages fold i differently (Turkish, Lithuanian), and a character beyond ASCII folds to k (U+212A). No pair has these letters. */
const FOLDED_OTHERWISE = new Set(['i', 'k'].map((letter) => letter.charCodeAt(0)))
const ASCII_MAX = 0x7f
const NONE = -1

const FOLDED = Int8Array.from({ length: ASCII_MAX + 1 }, (_, code) => {
  const folded = String.fromCharCode(code).toLowerCase().charCodeAt(0)
  return FOLDED_OTHERWISE.has(folded) ? NONE : folded
})

/** A text, with the field that it is a value of. */
export type FieldText = readonly [field: string, text: string]

/** A number in the form of letter pairs, so that a single digit has a pair too. */
export const textOfNumber = (value: number): string => `=${value}`

/**
 * A 64-bit signed integer, in decimal. If one text contains another without regard to case, it has all bits of the other, in whatever language the
 * database folds letters. The reverse need not hold.
 */
export function contactBigramMask(texts: Iterable<FieldText>): string {
  let [low, high] = [0, 0]
  for (const [field, text] of texts) {
    const seed = seedOf(field)
    let before = NONE
    for (let at = 0; at < text.length; at++) {
      const letter = FOLDED[text.charCodeAt(at)] ?? NONE
      if (before !== NONE && letter !== NONE) {
        const bit = Math.imul(seed + (before << 7) + letter, 0x9e3779b1) >>> 26
        if (bit < 32) low |= 1 << bit
        else high |= 1 << (bit - 32)
      }
      before = letter
    }
  }
  return ((BigInt(high) << 32n) | BigInt(low >>> 0)).toString()
}

function seedOf(field: string): number {
  let seed = 0
  for (let at = 0; at < field.length; at++) seed = Math.imul(seed, 31) + field.charCodeAt(at)
  return seed << 14
}

export type ContactToMerge = {
  /** The id that a new contact gets. */
  id: string
  email: string
  addressHash: string
  /** Null if not given: the existing value stays. */
  firstName: string | null
  lastName: string | null
  /** False if not given. */
  unsubscribed: boolean
  /** Keyed by the number of the property. */
  properties: Record<string, string | number>
}

export type MergeOptions = {
  teamId: string
  /** `skip` leaves existing contacts unchanged, except for opt-outs. */
  onConflict: 'upsert' | 'skip'
  /** Segments without a filter, of this team, which the caller has locked. */
  segmentIds: string[]
  /** Topics of this team, which the caller has locked. */
  topics: TopicChoice[]
  now: Date
}

type TopicChoice = { id: string; subscription: Subscription }

type AddressedContact = { id: string; addressHash: string }

/** How many contacts the team has, up to `max`. */
export async function countContactsUpTo(execute: Execute, teamId: string, max: number): Promise<number> {
  const [row] = await execute<{ count: number }>(COUNT_UP_TO, [teamId, max])
  return row?.count ?? 0
}

const COUNT_UP_TO = 'select count(*)::int as count from (select from contacts where team_id = $1 limit $2) c'

export type MergedContact = { id: string; email: string; isCreated: boolean }

/** The contacts that were created or changed, in no order, without skipped ones. No two of `contacts` may have the same address. */
export async function mergeContacts(execute: Execute, contacts: ContactToMerge[], options: MergeOptions): Promise<MergedContact[]> {
  return contacts.length === 0 ? [] : (await merge(execute, contacts, options)).merged
}

/** One contact, merged into the one that has its address if there is one. `changedTopics`: topics whose choice has changed. */
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
  /** Only for a single contact. Thousands cause no notification. */
  changedTopics: TopicChoice[]
}

async function merge(execute: Execute, contacts: ContactToMerge[], options: MergeOptions): Promise<Merge> {
  const { teamId, segmentIds, topics, now } = options
  await lockOptOutsShared(execute, teamId)
  // Always in the same order, so that two merges of the same people wait for each other without a deadlock.
  const sorted = contacts.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  const written = await execute<MergedContact>(insertSql(contacts, options), [teamId, now, ...contactColumns(sorted)])
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
    const optedOut = optOuts(options).map(({ id }) => id)
    changedTopics.push(...(await subscribe(execute, ids, topics, now)))
    await rememberTopicOptOuts(execute, teamId, { addressHashes: hashesOf(merged), topicIds: optedOut, now })
  }
  if (options.onConflict === 'skip') await optOutAnyway(execute, contacts, options)
  return { merged, changedTopics }
}

const hashesOfLeaving = (contacts: ContactToMerge[]): string[] =>
  contacts.filter(({ unsubscribed }) => unsubscribed).map(({ addressHash }) => addressHash)

const optOuts = ({ topics }: Pick<MergeOptions, 'topics'>): TopicChoice[] => topics.filter(({ subscription }) => subscription === 'opt_out')

/** For skipped contacts only opt-outs are applied: from everything, or from a topic. Without opt-outs none is locked. */
function insertSql(contacts: ContactToMerge[], options: MergeOptions): string {
  if (options.onConflict === 'upsert') return UPSERT
  return contacts.some(({ unsubscribed }) => unsubscribed) || optOuts(options).length > 0 ? INSERT_OR_LEAVE : INSERT
}

/**
 * Contacts that are not merged opt out nevertheless. They are locked, as by INSERT_OR_LEAVE, so that none of them is deleted meanwhile and leaves
 * its choice.
 */
export async function optOutAnyway(
  execute: Execute,
  contacts: Pick<ContactToMerge, 'addressHash'>[],
  options: Pick<MergeOptions, 'teamId' | 'topics' | 'now'>,
): Promise<void> {
  const { teamId, now } = options
  const optedOut = optOuts(options)
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

/** Adds choices for topics without one, and all opt-outs. It subscribes no one again. Returns what changed, for a single contact. */
function subscribe(execute: Execute, contactIds: string[], topics: TopicChoice[], now: Date): Promise<TopicChoice[]> {
  return execute<TopicChoice>(`${SUBSCRIBE} ${returningOf(contactIds)}`, [contactIds, JSON.stringify(topics), now])
}

const returningOf = (contacts: unknown[]): string => (contacts.length === 1 ? 'returning topic_id as id, subscription' : '')

/**
 * Decisions under an address apply to the contact that has it now. A separate statement, after the one that gives the address to the contact: that
 * one may have waited while another transaction unsubscribed the former contact and deleted it, and would not see it.
 */
export async function restoreOptOuts(execute: Execute, teamId: string, contacts: AddressedContact[]): Promise<void> {
  if (contacts.length > 0) await execute(RESTORE_OPT_OUTS, [teamId, ...addressColumns(contacts)])
}

/** Restores topics. Returns what changed, for a single contact. */
export async function restoreTopicOptOuts(
  execute: Execute,
  teamId: string,
  contacts: AddressedContact[],
  now: Date,
): Promise<TopicChoice[]> {
  if (contacts.length === 0 || (contacts.length > 1 && !(await hasTopicOptOuts(execute, teamId)))) return []
  return execute<TopicChoice>(`${RESTORE_TOPIC_OPT_OUTS} ${returningOf(contacts)}`, [teamId, ...addressColumns(contacts), now])
}

/** Most teams have none, and need not look up those of thousands of contacts. */
async function hasTopicOptOuts(execute: Execute, teamId: string): Promise<boolean> {
  const rows = await execute('select from topic_opt_outs where team_id = $1 limit 1', [teamId])
  return rows.length > 0
}

const addressColumns = (contacts: AddressedContact[]): string[][] => [
  contacts.map(({ id }) => id),
  contacts.map(({ addressHash }) => addressHash),
]

/** An array for each column. */
const contactColumns = (contacts: ContactToMerge[]): unknown[] => [
  contacts.map(({ id }) => id),
  contacts.map(({ email }) => email),
  contacts.map(({ addressHash }) => addressHash),
  contacts.map(({ firstName }) => firstName),
  contacts.map(({ lastName }) => lastName),
  contacts.map(({ unsubscribed }) => unsubscribed),
  contacts.map(({ properties }) => JSON.stringify(properties)),
  contacts.map(bigramsOf),
]

/** From everything that filters search, except the address. */
export const bigramsOf = ({ firstName, lastName, properties }: SearchedValues): string =>
  contactBigramMask(Object.entries({ ...properties, first_name: firstName, last_name: lastName }).flatMap(fieldText))

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

// Existing contacts are locked, including those that stay unchanged.
const INSERT_OR_LEAVE = `${INSERT_CONTACTS}
on conflict (team_id, email) do update set unsubscribed = true, updated_at = excluded.updated_at
where excluded.unsubscribed and not contacts.unsubscribed
returning id, email, xmax = 0 as "isCreated"`

// If this statement inserted the row, no transaction has replaced it: xmax is 0.
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

// If the topic were deleted now, the choice would remain.
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
