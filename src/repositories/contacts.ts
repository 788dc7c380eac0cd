import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { isDeadlock, isDuplicate } from '../lib/database-errors.ts'
import type { PageRequest } from '../lib/page-request.ts'
import type { Subscription } from '../schemas/notifications.ts'
import { checkAudienceReferences, type ReferenceProblem, valuesOfProperties } from './audience-references.ts'
import { type ContactRow, contactColumns, tellOfContact, tellOfTopics } from './contact-notifications.ts'
import type { Database, Execute } from './database.ts'
import {
  type ContactToMerge,
  letterPairsOf,
  type MergeOptions,
  mergeContacts,
  restoreOptOuts,
  restoreTopicOptOuts,
} from './merge-contacts.ts'
import { forgetOptOut, holdOptOuts, rememberOptOuts, rememberTopicOptOuts } from './opt-outs.ts'
import { type Page, readPage } from './page.ts'

/** How a contact is named: in a path by its id or its address, in a link of a mail by what stands for the address. */
export type ContactReference = { id: string } | { email: string } | { addressHash: string }

/** What is not in it stays as it is. */
export type ContactChange = {
  email?: string
  firstName?: string | null
  lastName?: string | null
  unsubscribed?: boolean
  /** By the number of their property; null removes one. */
  properties?: Record<string, string | number | null>
}

export type NewContact = ContactToMerge &
  Pick<MergeOptions, 'segmentIds' | 'topics'> & {
    /** Numbers of properties whose value goes. */
    removedProperties: string[]
  }

type HashOf = (email: string) => string

/** Two that take each other's address wait for each other, and PostgreSQL ends one of them: tried again, it finds the address taken or free. */
const DEADLOCK_TRIES = 5
const AFTER_DEADLOCK_MS = 100

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
      const saving = transaction(async (inside) => {
        // One save of an address at a time, so that what is told of its topics is what this one changed.
        await inside('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${teamId} ${contact.email}`])
        const problem = await checkAudienceReferences(inside, teamId, contact)
        if (problem) return problem
        const now = clock.now()
        const { segmentIds, topics } = contact
        const before = await topicsOf(inside, teamId, contact.email)
        const properties = await valuesOfProperties(inside, teamId, contact.properties)
        const [merged] = await mergeContacts(inside, [{ ...contact, properties }], {
          teamId,
          segmentIds,
          topics,
          onConflict: 'upsert',
          now,
        })
        if (!merged) throw new Error('A merge of one contact came to nothing')
        if (contact.removedProperties.length > 0) await inside(REMOVE_VALUES, [teamId, merged.id, contact.removedProperties])
        // Only now nobody else adds to them: the merge has locked the contact, also one that is new.
        if (segmentIds.length > 0 && (await countMemberships(inside, teamId, merged.id)) > membershipsMax) throw new TooManySegments()
        const saved = await findContact(inside, teamId, { id: merged.id })
        if (!saved) throw new Error('A contact that was just saved is not there')
        await tellOfContact(inside, merged.isCreated ? 'contact.created' : 'contact.updated', { teamId, contact: saved, now })
        const after = await topicsOf(inside, teamId, contact.email)
        await tellOfTopics(inside, { teamId, contact: saved, topics: changedTopics(before, after), now })
        return { id: merged.id }
      })
      return saving.catch((error: unknown) => {
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
      for (let triesLeft = DEADLOCK_TRIES; ; triesLeft -= 1) {
        try {
          return await attempt()
        } catch (error) {
          if (isDuplicate(error)) return 'taken'
          if (!isDeadlock(error) || triesLeft <= 1) throw error
        }
        // The other one goes first, or both would come to wait for each other again.
        await sleep(AFTER_DEADLOCK_MS)
      }
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

function condition(reference: ContactReference): { text: string; value: string } {
  if ('id' in reference) return { text: 'c.id = $2::uuid', value: reference.id }
  if ('email' in reference) return { text: 'c.email = $2', value: reference.email }
  return { text: 'c.address_hash = $2', value: reference.addressHash }
}

export async function findContact(execute: Execute, teamId: string, reference: ContactReference, lock = ''): Promise<ContactRow | null> {
  const { text, value } = condition(reference)
  const [row] = await execute<ContactRow>(`select ${contactColumns} from contacts c where c.team_id = $1 and ${text} ${lock}`, [
    teamId,
    value,
  ])
  return row ?? null
}

/** Nobody else changes or deletes it until the transaction ends. */
export const lockContact = (execute: Execute, teamId: string, reference: ContactReference): Promise<ContactRow | null> =>
  findContact(execute, teamId, reference, 'for update')

type ChangeOfContact = { contact: ContactRow; change: ContactChange; hashOf: HashOf; now: Date }

async function changeContact(execute: Execute, teamId: string, { contact, change, hashOf, now }: ChangeOfContact): Promise<ContactRow> {
  const email = change.email ?? contact.email
  const hash = hashOf(email)
  const isMoved = email !== contact.email
  const given = Object.entries(await valuesOfProperties(execute, teamId, change.properties ?? {}))
  const firstName = change.firstName === undefined ? contact.firstName : change.firstName
  const lastName = change.lastName === undefined ? contact.lastName : change.lastName
  await execute(UPDATE, [
    teamId,
    contact.id,
    email,
    hash,
    firstName,
    lastName,
    change.unsubscribed ?? contact.unsubscribed,
    JSON.stringify(Object.fromEntries(given.filter(([, value]) => value !== null))),
    given.filter(([, value]) => value === null).map(([number]) => number),
    now,
    letterPairsOf({ firstName, lastName, properties: { ...contact.properties, ...Object.fromEntries(given) } }),
  ])
  // Only of the address that was named: whoever opted out under the new one did not speak here.
  if (change.unsubscribed === false) await forgetOptOut(execute, teamId, contact.addressHash)
  if (change.unsubscribed ?? contact.unsubscribed) await rememberOptOuts(execute, teamId, [hash], now)
  else if (isMoved) await restoreOptOuts(execute, teamId, [{ id: contact.id, addressHash: hash }])
  if (isMoved) await moveTopicOptOuts(execute, teamId, { contact: { id: contact.id, email }, addressHash: hash, now })
  const changed = await findContact(execute, teamId, { id: contact.id })
  if (!changed) throw new Error('A locked contact is not there any more')
  return changed
}

/** What was decided under the old address holds under the new one, and what was decided under the new one for this contact. */
async function moveTopicOptOuts(
  execute: Execute,
  teamId: string,
  { contact, addressHash, now }: { contact: Pick<ContactRow, 'id' | 'email'>; addressHash: string; now: Date },
): Promise<void> {
  const before = await topicsOf(execute, teamId, contact.email)
  const optedOut = before.filter(({ subscription }) => subscription === 'opt_out').map(({ id }) => id)
  await rememberTopicOptOuts(execute, teamId, { addressHashes: [addressHash], topicIds: optedOut, now })
  await restoreTopicOptOuts(execute, teamId, [{ id: contact.id, addressHash }], now)
  await tellOfTopics(execute, { teamId, contact, topics: changedTopics(before, await topicsOf(execute, teamId, contact.email)), now })
}

const UPDATE = `
update contacts c set email = $3, address_hash = $4, first_name = $5, last_name = $6, unsubscribed = $7,
  properties = (c.properties || $8::jsonb) - $9::text[], updated_at = $10, letter_pairs = $11
where c.team_id = $1 and c.id = $2`

const REMOVE_VALUES = 'update contacts set properties = properties - $3::text[] where team_id = $1 and id = $2'

type Choice = { id: string; subscription: Subscription }

const changedTopics = (before: Choice[], after: Choice[]): Choice[] =>
  after.filter(({ id, subscription }) => before.find((topic) => topic.id === id)?.subscription !== subscription)

const topicsOf = (execute: Execute, teamId: string, email: string): Promise<Choice[]> =>
  execute(
    `select t.topic_id as id, t.subscription from contacts c join contact_topics t on t.contact_id = c.id join topics k on k.id = t.topic_id
      where c.team_id = $1 and c.email = $2 order by t.topic_id`,
    [teamId, email],
  )
