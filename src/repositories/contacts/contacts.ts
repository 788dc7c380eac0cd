import type { Clock } from '../../lib/clock.ts'
import { isDuplicate } from '../../lib/database-errors.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Database, Execute } from '../database.ts'
import { againAfterDeadlock } from '../deadlocks.ts'
import { type Page, readPage } from '../page.ts'
import { checkAudienceReferences, type ReferenceProblem, valuesOfProperties } from './audience-references.ts'
import { type ContactChange, changeContact, type HashOf } from './change-contact.ts'
import { tellOfContact, tellOfTopics } from './contact-notifications.ts'
import { type ContactReference, type ContactRow, findContact, lockContact } from './contact-rows.ts'
import { type ContactToMerge, type MergeOptions, mergeContact } from './merge-contacts.ts'
import { holdOptOuts } from './opt-outs.ts'

export type NewContact = ContactToMerge &
  Pick<MergeOptions, 'segmentIds' | 'topics'> & {
    /** Numbers of properties whose value goes. */
    removedProperties: string[]
  }

const columns = {
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

export function contactRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { clock }: { clock: Clock },
) {
  return {
    async find(teamId: string, reference: ContactReference): Promise<ContactRow | null> {
      return findContact(execute, teamId, reference)
    },

    list(teamId: string, request: PageRequest): Promise<Page<ContactRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.contact.findMany({ where: { teamId, ...where }, select: columns, ...rest })
        // Written by this file and mergeContacts alone, from the type that they are read as.
        return rows as (Omit<(typeof rows)[number], 'properties'> & Pick<ContactRow, 'properties'>)[]
      })
    },

    /** How many the team has. */
    async count(teamId: string): Promise<{ contacts: number; unsubscribed: number }> {
      const [counts] = await execute<{ contacts: number; unsubscribed: number }>(
        `select (select count(*) from contacts where team_id = $1)::int as contacts,
           (select count(*) from contacts where team_id = $1 and unsubscribed)::int as unsubscribed`,
        [teamId],
      )
      return counts ?? { contacts: 0, unsubscribed: 0 }
    },

    /** Creates a contact, or merges what is given into the one that has this address. `too many segments`: it would be in more than it may be in. */
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
          // Only now nobody else adds to them: the merge has locked the contact, also one that is new.
          if (segmentIds.length > 0 && (await countMemberships(inside, teamId, merged.id)) > membershipsMax) throw new TooManySegments()
          const saved = await findContact(inside, teamId, { id: merged.id })
          if (!saved) throw new Error('A contact that was just saved is not there')
          await tellOfContact(inside, merged.isCreated ? 'contact.created' : 'contact.updated', { teamId, contact: saved, now })
          await tellOfTopics(inside, { teamId, contact: saved, topics: merged.changedTopics, now })
          return { id: merged.id }
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
        transaction(async (inside) => {
          await holdOptOuts(inside, teamId)
          const contact = await lockContact(inside, teamId, reference)
          if (!contact) return null
          const changed = await changeContact(inside, teamId, { contact, change, hashOf, now: clock.now() })
          await tellOfContact(inside, 'contact.updated', { teamId, contact: changed, now: changed.updatedAt })
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
      return transaction(async (inside) => {
        const contact = await lockContact(inside, teamId, reference)
        if (!contact) return null
        await tellOfContact(inside, 'contact.deleted', { teamId, contact, now: clock.now() })
        await inside('delete from contact_segments where contact_id = $1', [contact.id])
        await inside('delete from contact_topics where contact_id = $1', [contact.id])
        await inside('delete from contacts where team_id = $1 and id = $2', [teamId, contact.id])
        return { id: contact.id }
      })
    },
  }
}

/** Undoes a merge that went too far. */
class TooManySegments extends Error {}

/** In how many segments a contact is, as far as they have not been deleted. */
export async function countMemberships(execute: Execute, teamId: string, contactId: string): Promise<number> {
  const [row] = await execute<{ count: number }>(
    'select count(*)::int as count from contact_segments m join segments s on s.id = m.segment_id where s.team_id = $1 and m.contact_id = $2',
    [teamId, contactId],
  )
  return row?.count ?? 0
}

const REMOVE_VALUES = 'update contacts set properties = properties - $3::text[] where team_id = $1 and id = $2'
