// Contacts one by one; in SQL where one is saved, by the statements that merge thousands.
import type { Clock } from '../../lib/clock.ts'
import { isDuplicate } from '../../lib/database-errors.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Database } from '../database.ts'
import { againAfterDeadlock } from '../deadlocks.ts'
import { type Page, readPage } from '../page.ts'
import { checkAudienceReferences, type ReferenceProblem, valuesOfProperties } from './audience-references.ts'
import { type ContactChange, changeContact, type HashOf } from './change-contact.ts'
import { appendContactNotification, appendTopicsNotification } from './contact-notifications.ts'
import {
  type ContactReference,
  type ContactRow,
  contactSelect,
  findContact,
  lockContact,
  readContact,
  toContactRow,
} from './contact-rows.ts'
import { segmentIdsOf } from './memberships.ts'
import { type ContactToMerge, type MergeOptions, mergeContact } from './merge-contacts.ts'
import { lockOptOutsShared } from './opt-outs.ts'
import { removeContact } from './removed-contacts.ts'

export type NewContact = ContactToMerge &
  Pick<MergeOptions, 'segmentIds' | 'topics'> & {
    /** Numbers of properties whose value is removed. */
    removedProperties: string[]
  }

export function contactRepository(
  { tables, records, transaction }: Pick<Database, 'tables' | 'records' | 'transaction'>,
  { clock }: { clock: Clock },
) {
  return {
    async find(teamId: string, reference: ContactReference): Promise<ContactRow | null> {
      return findContact(tables, teamId, reference)
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
          if (contact.removedProperties.length > 0) await inside(REMOVE_VALUES, [teamId, merged.id, contact.removedProperties])
          // Counted here, because the merge has locked the contact, even a new one, so that no other transaction adds to them.
          if (segmentIds.length > 0 && (await segmentIdsOf(inside, teamId, merged.id)).length > membershipsMax) throw new TooManySegments()
          const saved = await readContact(inside, teamId, { id: merged.id })
          if (!saved) throw new Error('A contact that was just saved is not there')
          await appendContactNotification(inside, merged.isCreated ? 'contact.created' : 'contact.updated', { teamId, contact: saved, now })
          await appendTopicsNotification(inside, { teamId, contact: saved, topics: merged.changedTopics, now })
          return { id: merged.id }
        })
      return againAfterDeadlock(attempt).catch((error: unknown) => {
        if (error instanceof TooManySegments) return 'too many segments' as const
        throw error
      })
    },

    /** Can subscribe a person again, because the caller has named this contact. Null if there is none; `taken` if another has the new address. */
    async update(
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
    async remove(teamId: string, reference: ContactReference): Promise<{ id: string } | null> {
      return transaction(async (inside) => {
        const contact = await lockContact(inside, teamId, reference)
        if (!contact) return null
        await removeContact(inside, teamId, { contact, now: clock.now() })
        return { id: contact.id }
      })
    },
  }
}

/** Undoes a merge that exceeded the limit. */
class TooManySegments extends Error {}

const REMOVE_VALUES = 'update contacts set properties = properties - $3::text[] where team_id = $1 and id = $2'
