import type { Clock } from '../../lib/clock.ts'
import { isDuplicate } from '../../lib/database-errors.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Database, RecordTransaction } from '../database.ts'
import { againAfterDeadlock } from '../deadlocks.ts'
import { type Page, readPage } from '../page.ts'
import { checkAudienceReferences, type ReferenceProblem, valuesOfProperties } from './audience-references.ts'
import { type ContactChange, changeContact, type HashOf } from './change-contact.ts'
import { tellOfContact, tellOfTopics } from './contact-notifications.ts'
import {
  type ContactReference,
  type ContactRow,
  contactSelect,
  findContact,
  lockContact,
  toContactRow,
  updateContact,
} from './contact-rows.ts'
import { segmentIdsOf } from './memberships.ts'
import { type ContactToMerge, type MergeOptions, mergeContact } from './merge-contacts.ts'
import { holdOptOuts } from './opt-outs.ts'

export type NewContact = ContactToMerge &
  Pick<MergeOptions, 'segmentIds' | 'topics'> & {
    /** Numbers of properties whose value goes. */
    removedProperties: string[]
  }

export function contactRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
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

    /** Creates a contact, or merges what is given into the one that has this address. `too many segments`: it would be in more than it may be in. */
    async save(
      teamId: string,
      contact: NewContact,
      { membershipsMax }: { membershipsMax: number },
    ): Promise<{ id: string } | ReferenceProblem | 'too many segments'> {
      const attempt = () =>
        records(async ({ tables: inside, execute }) => {
          const problem = await checkAudienceReferences(execute, teamId, contact)
          if (problem) return problem
          const now = clock.now()
          const { segmentIds, topics } = contact
          const properties = await valuesOfProperties(execute, teamId, contact.properties)
          const merged = await mergeContact(execute, { ...contact, properties }, { teamId, segmentIds, topics, now })
          const saved = await withoutValues(inside, teamId, merged.id, contact.removedProperties)
          // Only now nobody else adds to them: the merge has locked the contact, also one that is new.
          if (segmentIds.length > 0 && (await segmentIdsOf(execute, teamId, saved.id)).length > membershipsMax) throw new TooManySegments()
          await tellOfContact(execute, merged.isCreated ? 'contact.created' : 'contact.updated', { teamId, contact: saved, now })
          await tellOfTopics(execute, { teamId, contact: saved, topics: merged.changedTopics, now })
          return { id: saved.id }
        })
      return againAfterDeadlock(attempt).catch((error: unknown) => {
        if (error instanceof TooManySegments) return 'too many segments' as const
        throw error
      })
    },

    /** Here a person can be subscribed again: the caller has named this very contact. Null: there is none; `taken`: another has the new address. */
    async update(
      teamId: string,
      reference: ContactReference,
      change: ContactChange,
      hashOf: HashOf,
    ): Promise<{ id: string } | 'taken' | null> {
      const attempt = () =>
        records(async (record) => {
          await holdOptOuts(record.execute, teamId)
          const contact = await lockContact(record.execute, teamId, reference)
          if (!contact) return null
          const changed = await changeContact(record, teamId, { contact, change, hashOf, now: clock.now() })
          await tellOfContact(record.execute, 'contact.updated', { teamId, contact: changed, now: changed.updatedAt })
          return { id: contact.id }
        })
      // Two that take each other's address wait for each other: tried again, the one that was ended finds the address taken or free.
      return againAfterDeadlock(attempt).catch((error: unknown) => {
        if (isDuplicate(error)) return 'taken' as const
        throw error
      })
    },

    /** What is personal goes at once; that the address opted out stays, as a hash. Null: there is no such contact. */
    async remove(teamId: string, reference: ContactReference): Promise<{ id: string } | null> {
      return records(async ({ tables: inside, execute }) => {
        const contact = await lockContact(execute, teamId, reference)
        if (!contact) return null
        await tellOfContact(execute, 'contact.deleted', { teamId, contact, now: clock.now() })
        await inside.contactSegment.deleteMany({ where: { contactId: contact.id } })
        await inside.contactTopic.deleteMany({ where: { contactId: contact.id } })
        await inside.contact.deleteMany({ where: { teamId, id: contact.id } })
        return { id: contact.id }
      })
    },
  }
}

/** Undoes a merge that went too far. */
class TooManySegments extends Error {}

/** A contact that was just saved, after the values of some properties are removed. */
async function withoutValues(tables: RecordTransaction['tables'], teamId: string, id: string, numbers: string[]): Promise<ContactRow> {
  const saved = await findContact(tables, teamId, { id })
  if (!saved) throw new Error('A contact that was just saved is not there')
  if (numbers.length === 0) return saved
  const kept = Object.entries(saved.properties).filter(([number]) => !numbers.includes(number))
  return updateContact(tables, teamId, id, { properties: Object.fromEntries(kept) })
}
