// Contacts one by one; in SQL where one is saved, by the statements that merge thousands.
import type { Database, Execute, RecordTransaction } from '../../../db/database.ts'
import { isDuplicate } from '../../../db/database-errors.ts'
import { readPage } from '../../../db/page.ts'
import { againAfterDeadlock } from '../../../db/transactions.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { requireRoom } from '../../limits/limits.repository.ts'
import { forgetRefusedCells } from '../imports/refused-cells.repository.ts'
import { checkAudienceReferences, type ReferenceProblem, valuesOfProperties } from '../references.repository.ts'
import {
  appendChanges,
  appendContactNotification,
  appendTopicsNotification,
  type ContactReference,
  type ContactRow,
  contactSelect,
  findContact,
  findSegmentIds,
  lockContact,
  readContact,
  toContactRow,
  updateContact,
} from './contact-rows.repository.ts'
import {
  bigramsOf,
  type ContactToMerge,
  countContactsUpTo,
  type MergeOptions,
  mergeContact,
  restoreOptOuts,
  restoreTopicOptOuts,
} from './merge-contacts.repository.ts'
import { forgetOptOut, lockOptOutsShared, lockTopicsOptedOut, rememberOptOuts, rememberTopicOptOuts } from './opt-outs.repository.ts'

// Updates one contact, possibly with another address. What was decided under either address then applies to it.

/** Absent fields stay as they are. */
export type ContactChange = {
  email?: string
  firstName?: string | null
  lastName?: string | null
  unsubscribed?: boolean
  /** By the number of their property; null removes one. */
  properties?: Record<string, string | number | null>
}

export type HashOf = (email: string) => string

type ChangeOfContact = { contact: ContactRow; change: ContactChange; hashOf: HashOf; now: Date }

/** The contact is locked, and the opt-outs of the team are held. */
export async function changeContact(
  { tables, execute }: RecordTransaction,
  teamId: string,
  { contact, change, hashOf, now }: ChangeOfContact,
): Promise<ContactRow> {
  const email = change.email ?? contact.email
  const addressHash = hashOf(email)
  const isMoved = email !== contact.email
  const firstName = change.firstName === undefined ? contact.firstName : change.firstName
  const lastName = change.lastName === undefined ? contact.lastName : change.lastName
  const unsubscribed = change.unsubscribed ?? contact.unsubscribed
  const given = await valuesOfProperties(execute, teamId, change.properties ?? {})
  const changed = await updateContact(tables, teamId, contact.id, {
    email,
    addressHash,
    firstName,
    lastName,
    unsubscribed,
    properties: withoutNulls({ ...contact.properties, ...given }),
    // Bits of former values stay, because they only say where to look.
    letterPairs: BigInt(bigramsOf({ firstName, lastName, properties: { ...contact.properties, ...given } })),
    updatedAt: now,
  })
  // Only for the address that was named: a person who opted out under the new one has not changed that decision.
  if (change.unsubscribed === false) await forgetOptOut(tables, teamId, contact.addressHash)
  if (unsubscribed) await rememberOptOuts(execute, teamId, [addressHash], now)
  if (!isMoved) return changed
  if (!unsubscribed) await restoreOptOuts(execute, teamId, [{ id: contact.id, addressHash }])
  await moveTopicOptOuts(execute, teamId, { contact: { id: contact.id, email }, addressHash, now })
  const moved = await findContact(tables, teamId, { id: contact.id })
  if (!moved) throw new Error('A locked contact is gone')
  return moved
}

const withoutNulls = (values: Record<string, string | number | null>): Record<string, string | number> =>
  Object.fromEntries(Object.entries(values).flatMap(([number, value]) => (value === null ? [] : [[number, value]])))

type MovedContact = { contact: Pick<ContactRow, 'id' | 'email'>; addressHash: string; now: Date }

/** Decisions under the old address now apply to the new one, and those under the new address to this contact. */
async function moveTopicOptOuts(execute: Execute, teamId: string, { contact, addressHash, now }: MovedContact): Promise<void> {
  const topicIds = await lockTopicsOptedOut(execute, teamId, contact.id)
  await rememberTopicOptOuts(execute, teamId, { addressHashes: [addressHash], topicIds, now })
  const topics = await restoreTopicOptOuts(execute, teamId, [{ id: contact.id, addressHash }], now)
  await appendTopicsNotification(execute, { teamId, contact, topics, now })
}

export type NewContact = ContactToMerge &
  Pick<MergeOptions, 'segmentIds' | 'topics'> & {
    /** Numbers of properties whose value is removed. */
    removedProperties: string[]
  }

/** Forgets what later modules know of contacts, in the transaction that deletes them. They are locked. */
export type ForgetContacts = (
  execute: Execute,
  teamId: string,
  deleted: { contacts: Pick<ContactRow, 'id' | 'email'>[]; now: Date },
) => Promise<void>

/** Tells later modules of a contact that was created, in the transaction that creates it. `id`: that of what happened. */
export type NotifyCreated = (execute: Execute, teamId: string, created: { id: string; contactId: string; now: Date }) => Promise<void>

/**
 * The contacts are removed at once. What is left of very many events and runs follows by a job, and is shown to no one until then. The opt-out of an
 * address stays, as a hash. The contacts are locked.
 */
export async function deleteContactRows(
  execute: Execute,
  teamId: string,
  { contacts, forgetContacts, now }: { contacts: ContactRow[]; forgetContacts: ForgetContacts; now: Date },
): Promise<void> {
  const ids = contacts.map(({ id }) => id)
  await appendChanges(execute, 'contact.deleted', { teamId, contacts, now })
  await execute('delete from contact_segments where contact_id = any($1::uuid[])', [ids])
  await execute('delete from contact_topics where contact_id = any($1::uuid[])', [ids])
  await forgetRefusedCells(
    execute,
    teamId,
    contacts.map(({ email }) => email),
  )
  await forgetContacts(execute, teamId, { contacts, now })
  await execute('delete from contacts where team_id = $1 and id = any($2::uuid[])', [teamId, ids])
}

export function contactRepository(
  { tables, records, transaction }: Pick<Database, 'tables' | 'records' | 'transaction'>,
  { clock, forgetContacts, notifyCreated }: { clock: Clock; forgetContacts: ForgetContacts; notifyCreated: NotifyCreated },
) {
  return {
    async find(teamId: string, reference: ContactReference): Promise<ContactRow | null> {
      return findContact(tables, teamId, reference)
    },

    /** Oldest first. */
    async listOfIds(teamId: string, ids: string[]): Promise<ContactRow[]> {
      const rows = await tables.contact.findMany({ where: { teamId, id: { in: ids } }, select: contactSelect, orderBy: { id: 'asc' } })
      return rows.map(toContactRow)
    },

    list(teamId: string, request: PageRequest): Promise<Page<ContactRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.contact.findMany({ where: { teamId, ...where }, select: contactSelect, ...rest })).map(toContactRow),
      )
    },

    /** How many the team has. */
    async count(teamId: string): Promise<{ contacts: number; unsubscribed: number }> {
      const counts = await tables.contact.groupBy({ by: ['unsubscribed'], where: { teamId }, _count: { _all: true } })
      const of = (isUnsubscribed: boolean) => counts.find(({ unsubscribed }) => unsubscribed === isUnsubscribed)?._count._all ?? 0
      return { contacts: of(true) + of(false), unsubscribed: of(true) }
    },

    /**
     * Creates a contact, or merges the given fields into the one that has this address. `too many segments`: it would be in more than a contact may
     * be in.
     */
    async save(
      teamId: string,
      contact: NewContact,
      { membershipsMax }: { membershipsMax: number },
    ): Promise<{ id: string } | ReferenceProblem | 'too many segments'> {
      const attempt = () =>
        transaction(async (inside) => {
          const problem = await checkAudienceReferences(inside, teamId, contact)
          if (problem) return problem
          const now = clock.now()
          const { segmentIds, topics } = contact
          const properties = await valuesOfProperties(inside, teamId, contact.properties)
          const merged = await mergeContact(inside, { ...contact, properties }, { teamId, segmentIds, topics, now })
          if (merged.isCreated) await requireRoomForContacts(inside, teamId)
          if (contact.removedProperties.length > 0) await inside(REMOVE_VALUES, [teamId, merged.id, contact.removedProperties])
          // Counted here, because the merge has locked the contact, even a new one, so that no other transaction adds to them.
          if (segmentIds.length > 0 && (await findSegmentIds(inside, teamId, merged.id)).length > membershipsMax)
            throw new TooManySegments()
          const saved = await readContact(inside, teamId, { id: merged.id })
          if (!saved) throw new Error('A contact that was just saved is not there')
          await appendContactNotification(inside, merged.isCreated ? 'contact.created' : 'contact.updated', { teamId, contact: saved, now })
          await appendTopicsNotification(inside, { teamId, contact: saved, topics: merged.changedTopics, now })
          if (merged.isCreated) await notifyCreated(inside, teamId, { id: createId(clock), contactId: merged.id, now })
          return { id: merged.id }
        })
      return againAfterDeadlock(attempt).catch((error: unknown) => {
        if (error instanceof TooManySegments) return 'too many segments' as const
        throw error
      })
    },

    /** Can subscribe a person again, because the caller has named this contact. Null if there is none; `taken` if another has the new address. */
    async updateContact(
      teamId: string,
      reference: ContactReference,
      change: ContactChange,
      hashOf: HashOf,
    ): Promise<{ id: string } | 'taken' | null> {
      const attempt = () =>
        records(async (record) => {
          await lockOptOutsShared(record.execute, teamId)
          const contact = await lockContact(record.execute, teamId, reference)
          if (!contact) return null
          const changed = await changeContact(record, teamId, { contact, change, hashOf, now: clock.now() })
          await appendContactNotification(record.execute, 'contact.updated', { teamId, contact: changed, now: changed.updatedAt })
          return { id: contact.id }
        })
      // Two contacts that take each other's address wait for each other. The one that was ended is retried, and finds the address taken or free.
      return againAfterDeadlock(attempt).catch((error: unknown) => {
        if (isDuplicate(error)) return 'taken' as const
        throw error
      })
    },

    /** Removes personal data at once. The opt-out of the address stays, as a hash. Null if there is no such contact. */
    async deleteContact(teamId: string, reference: ContactReference): Promise<{ id: string } | null> {
      return transaction(async (inside) => {
        const contact = await lockContact(inside, teamId, reference)
        if (!contact) return null
        await deleteContactRows(inside, teamId, { contacts: [contact], forgetContacts, now: clock.now() })
        return { id: contact.id }
      })
    },
  }
}

/** After contacts were created. @throws Failure, which undoes that, if they are more than the team may have */
export const requireRoomForContacts = (execute: Execute, teamId: string): Promise<void> =>
  requireRoom(execute, teamId, { name: 'contacts', more: 0, count: (max) => countContactsUpTo(execute, teamId, max) })

/** Undoes a merge that exceeded the limit. */
class TooManySegments extends Error {}

const REMOVE_VALUES = 'update contacts set properties = properties - $3::text[] where team_id = $1 and id = $2'
