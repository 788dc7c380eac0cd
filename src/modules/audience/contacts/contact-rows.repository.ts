// A contact as it is stored, and how one is found; in SQL where it is locked, or read in a transaction of plain SQL.

import { type BoundedQueries, CONTACTS_SEARCHED_MAX } from '../../../db/bounded-queries.ts'
import { stored } from '../../../db/columns.ts'
import type { Database, Execute, RecordTransaction } from '../../../db/database.ts'
import { append } from '../../../db/outbox.ts'
import { toWalk, type Walk } from '../../../db/page.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { createId } from '../../../lib/ids.ts'
import type { SearchPage } from '../../../lib/validation/common.schema.ts'
import type { Subscription } from '../audience-fields.ts'
import type { ContactNotificationType } from './contacts.schema.ts'

export const contactSelect = {
  id: true,
  email: true,
  addressHash: true,
  firstName: true,
  lastName: true,
  unsubscribed: true,
  properties: true,
  createdAt: true,
  updatedAt: true,
} as const

type SelectedContact = Prisma.ContactGetPayload<{ select: typeof contactSelect }>

/** `addressHash`: the hash of the address. */
export type ContactRow = Omit<SelectedContact, 'properties'> & {
  /** Keyed by the number of the property. */
  properties: Record<string, string | number>
}

export const toContactRow = ({ properties, ...row }: SelectedContact): ContactRow => ({
  ...row,
  properties: stored<ContactRow['properties']>(properties),
})

/** The columns of a ContactRow in plain SQL, for contacts called `c`. */
export const contactColumns =
  'c.id, c.email, c.address_hash as "addressHash", c.first_name as "firstName", c.last_name as "lastName", c.unsubscribed, c.properties, c.created_at as "createdAt", c.updated_at as "updatedAt"'

/** How a contact is named: in a path by its id or its address, in the link of an email by the hash of its address. */
export type ContactReference = { id: string } | { email: string } | { addressHash: string }

export async function findContact(
  tables: RecordTransaction['tables'],
  teamId: string,
  reference: ContactReference,
): Promise<ContactRow | null> {
  const row = await tables.contact.findFirst({ where: { teamId, ...onlyKey(reference) }, select: contactSelect })
  return row && toContactRow(row)
}

/** Reads a contact in a transaction of plain SQL. */
export const readContact = (execute: Execute, teamId: string, reference: ContactReference): Promise<ContactRow | null> =>
  selectContact(execute, teamId, reference, '')

/** Reads contacts, in no order. */
export const readContacts = (execute: Execute, teamId: string, ids: string[]): Promise<ContactRow[]> =>
  execute<ContactRow>(`select ${contactColumns} from contacts c where c.team_id = $1 and c.id = any($2::uuid[])`, [teamId, ids])

/** No other transaction changes or deletes it until this one ends. */
export const lockContact = (execute: Execute, teamId: string, reference: ContactReference): Promise<ContactRow | null> =>
  selectContact(execute, teamId, reference, 'for update')

async function selectContact(
  execute: Execute,
  teamId: string,
  reference: ContactReference,
  lock: '' | 'for update',
): Promise<ContactRow | null> {
  const { text, value } = condition(reference)
  const [row] = await execute<ContactRow>(`select ${contactColumns} from contacts c where c.team_id = $1 and ${text} ${lock}`, [
    teamId,
    value,
  ])
  return row ?? null
}

function condition(reference: ContactReference): { text: string; value: string } {
  if ('id' in reference) return { text: 'c.id = $2::uuid', value: reference.id }
  if ('email' in reference) return { text: 'c.email = $2', value: reference.email }
  return { text: 'c.address_hash = $2', value: reference.addressHash }
}

function onlyKey(reference: ContactReference): ContactReference {
  if ('id' in reference) return { id: reference.id }
  return 'email' in reference ? { email: reference.email } : { addressHash: reference.addressHash }
}

/** Changes a locked contact. */
export async function updateContact(
  tables: RecordTransaction['tables'],
  teamId: string,
  id: string,
  data: Prisma.ContactUncheckedUpdateManyInput,
): Promise<ContactRow> {
  const [changed] = await tables.contact.updateManyAndReturn({ where: { teamId, id }, data, select: contactSelect })
  if (!changed) throw new Error('A locked contact was not changed')
  return toContactRow(changed)
}

// The segments that a contact was added to; in SQL, because members are joined with their segments, and Prisma joins only along foreign keys.

/** Without deleted ones. */
export async function findSegmentIds(execute: Execute, teamId: string, contactId: string): Promise<string[]> {
  const rows = await execute<{ id: string }>(
    'select s.id from contact_segments m join segments s on s.id = m.segment_id where m.contact_id = $1 and s.team_id = $2 order by s.id',
    [contactId, teamId],
  )
  return rows.map(({ id }) => id)
}

// Notifications about contacts: their state after a change, written in its transaction.

/** Records that a contact was created, changed or deleted. A deletion is recorded before the memberships are removed. */
export async function appendContactNotification(
  execute: Execute,
  type: ContactNotificationType,
  { teamId, contact, now }: { teamId: string; contact: ContactRow; now: Date },
): Promise<void> {
  const segmentIds = await findSegmentIds(execute, teamId, contact.id)
  await appendContactNotifications(execute, type, { teamId, contacts: [{ contact, segmentIds }], now })
}

/** Records that many contacts were created, changed or deleted. */
export async function appendChanges(
  execute: Execute,
  type: ContactNotificationType,
  { teamId, contacts, now }: { teamId: string; contacts: ContactRow[]; now: Date },
): Promise<void> {
  if (contacts.length === 0) return
  const members = await execute<{ contactId: string; id: string }>(SEGMENTS_OF_CONTACTS, [contacts.map(({ id }) => id), teamId])
  const byContact = Map.groupBy(members, ({ contactId }) => contactId)
  const withSegments = contacts.map((contact) => ({ contact, segmentIds: (byContact.get(contact.id) ?? []).map(({ id }) => id) }))
  await appendContactNotifications(execute, type, { teamId, contacts: withSegments, now })
}

const SEGMENTS_OF_CONTACTS = `
select m.contact_id as "contactId", s.id from contact_segments m join segments s on s.id = m.segment_id
 where m.contact_id = any($1::uuid[]) and s.team_id = $2 order by s.id`

/** Appends the notifications of many contacts, with the segments that they are in. */
export async function appendContactNotifications(
  execute: Execute,
  type: ContactNotificationType,
  { teamId, contacts, now }: { teamId: string; contacts: { contact: ContactRow; segmentIds: string[] }[]; now: Date },
): Promise<void> {
  const notifications = contacts.map(({ contact, segmentIds }) => ({
    id: createId(),
    teamId,
    type,
    subjectId: contact.id,
    data: {
      id: contact.id,
      email: contact.email,
      first_name: contact.firstName,
      last_name: contact.lastName,
      unsubscribed: contact.unsubscribed,
      segment_ids: segmentIds,
      created_at: contact.createdAt.toISOString(),
      updated_at: contact.updatedAt.toISOString(),
    },
  }))
  await append(execute, notifications, now)
}

/** Records which topics of a contact changed. */
export async function appendTopicsNotification(
  execute: Execute,
  {
    teamId,
    contact,
    topics,
    now,
  }: { teamId: string; contact: Pick<ContactRow, 'id' | 'email'>; topics: { id: string; subscription: Subscription }[]; now: Date },
): Promise<void> {
  if (topics.length === 0) return
  const data = { email: contact.email, topics }
  await append(execute, [{ id: createId(), teamId, type: 'contact.topics.updated', subjectId: contact.id, data }], now)
}

// Contacts found by a part of their address or name; in SQL, because it says where it stopped. A search reads a bounded number of contacts, newest
// first, because no index finds a part of a word.

/** `before`: the next newer ones instead. `words`: as typed, for names. `part`: the same in the form of addresses. */
export type ContactSearch = { words: string; part: string; after: string | null; before?: string | null; limit: number }

export type ContactFindings = {
  rows: ContactRow[]
  /** The id after which to continue; null if all contacts were read. */
  next: string | null
  /** How many the search read, if it ended because of that; otherwise null. */
  searchedMax: number | null
}

export function contactSearchRepository(
  { tables }: Pick<Database, 'tables'>,
  { searches, searchedMax = CONTACTS_SEARCHED_MAX }: { searches: BoundedQueries; searchedMax?: number },
) {
  return {
    /** A page of a search, newest first. */
    async searchPage(teamId: string, search: ContactSearch): Promise<SearchPage<ContactRow>> {
      const { rows, next, searchedMax: bound } = await this.search(teamId, search)
      return { rows, hasMore: next !== null, searchedTo: bound === null ? null : next }
    },

    /** @throws Failure if it takes too long, or too many searches are running already. */
    async search(teamId: string, { words, part, after, before = null, limit }: ContactSearch): Promise<ContactFindings> {
      const walk = toWalk({ after, before }, { since: null, until: null })
      const values = [teamId, walk.until, searchedMax, patternOf(part), patternOf(words), limit + 1, walk.from]
      const found = await searches.run(teamId, async (searching, inside) => {
        await inside(BY_INDEX)
        return searching<{ id: string; isRead: boolean }>(CONTACTS_SEARCHED[walk.order], values)
      })
      const ids = found.filter(({ isRead }) => !isRead).map(({ id }) => id)
      const kept = ids.slice(0, limit)
      const rows = await tables.contact.findMany({
        where: { teamId, id: { in: kept } },
        select: contactSelect,
        orderBy: { id: 'desc' },
      })
      const bound = found.find(({ isRead }) => isRead)?.id
      return ids.length > limit
        ? { rows: rows.map(toContactRow), next: kept.at(-1) ?? null, searchedMax: null }
        : { rows: rows.map(toContactRow), next: bound ?? null, searchedMax: bound === undefined ? null : searchedMax }
    },
  }
}

export const patternOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** A bitmap would read all contacts of the team, and then sort them. */
const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off'

// Beside those that were found the last one that was read, if as many were read as may be.
const searched = (order: Walk['order']): string => `
with read as materialized (
  select id, email, first_name, last_name from contacts where team_id = $1 and id < $2::uuid and id >= $7::uuid order by id ${order} limit $3
)
(select id, false as "isRead" from read where email like $4 or concat_ws(' ', first_name, last_name) ilike $5 order by id ${order} limit $6)
union all
(select id, true from read order by id ${order} offset $3 - 1)`

const CONTACTS_SEARCHED = { desc: searched('desc'), asc: searched('asc') }
