import type { Clock } from '../lib/clock.ts'
import { isDuplicate } from '../lib/database-errors.ts'
import type { PageRequest } from '../lib/page-request.ts'
import { checkAudienceReferences, type ReferenceProblem } from './audience-references.ts'
import { type ContactRow, contactColumns, tellOfContact, tellOfTopics } from './contact-notifications.ts'
import type { Database, Execute } from './database.ts'
import { type ContactToMerge, type MergeOptions, mergeContacts, restoreTopicOptOuts } from './merge-contacts.ts'
import { forgetOptOut, isOptedOut, rememberOptOuts, rememberTopicOptOuts } from './opt-outs.ts'
import { type Page, readPage } from './page.ts'

/** How a path names a contact: by one of the two. */
export type ContactReference = { id: string } | { email: string }

/** What is not in it stays as it is. */
export type ContactChange = {
  email?: string
  firstName?: string | null
  lastName?: string | null
  unsubscribed?: boolean
  /** By the number of their property; null removes one. */
  properties?: Record<string, string | number | null>
}

export type NewContact = ContactToMerge & Pick<MergeOptions, 'segmentIds' | 'topics'>

type HashOf = (email: string) => string

const columns = {
  id: true,
  email: true,
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

    /** Creates a contact, or merges what is given into the one that has this address. */
    async save(teamId: string, contact: NewContact): Promise<{ id: string } | ReferenceProblem> {
      return transaction(async (inside) => {
        const problem = await checkAudienceReferences(inside, teamId, contact)
        if (problem) return problem
        const now = clock.now()
        const { segmentIds, topics } = contact
        const before = await topicsOf(inside, teamId, contact.email)
        const [merged] = await mergeContacts(inside, [contact], { teamId, segmentIds, topics, onConflict: 'upsert', now })
        if (!merged) throw new Error('A merge of one contact came to nothing')
        const saved = await findContact(inside, teamId, { id: merged.id })
        if (!saved) throw new Error('A contact that was just saved is not there')
        await tellOfContact(inside, merged.isCreated ? 'contact.created' : 'contact.updated', { teamId, contact: saved, now })
        const after = await topicsOf(inside, teamId, contact.email)
        const changed = after.filter(({ id, subscription }) => before.find((topic) => topic.id === id)?.subscription !== subscription)
        await tellOfTopics(inside, { teamId, contact: saved, topics: changed, now })
        return { id: merged.id }
      })
    },

    /** Here a person can be subscribed again: the caller has named this very contact. Null: there is none; `taken`: another has the new address. */
    async update(
      teamId: string,
      reference: ContactReference,
      change: ContactChange,
      hashOf: HashOf,
    ): Promise<{ id: string } | 'taken' | null> {
      try {
        return await transaction(async (inside) => {
          const contact = await lockContact(inside, teamId, reference)
          if (!contact) return null
          const changed = await changeContact(inside, teamId, { contact, change, hashOf, now: clock.now() })
          await tellOfContact(inside, 'contact.updated', { teamId, contact: changed, now: changed.updatedAt })
          return { id: contact.id }
        })
      } catch (error) {
        if (isDuplicate(error)) return 'taken'
        throw error
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

const condition = (reference: ContactReference) =>
  'id' in reference ? { text: 'c.id = $2::uuid', value: reference.id } : { text: 'c.email = $2', value: reference.email }

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
  const unsubscribed = change.unsubscribed ?? (contact.unsubscribed || (isMoved && (await isOptedOut(execute, teamId, hash))))
  const given = Object.entries(change.properties ?? {})
  const [changed] = await execute<ContactRow>(UPDATE, [
    teamId,
    contact.id,
    email,
    change.firstName === undefined ? contact.firstName : change.firstName,
    change.lastName === undefined ? contact.lastName : change.lastName,
    unsubscribed,
    JSON.stringify(Object.fromEntries(given.filter(([, value]) => value !== null))),
    given.filter(([, value]) => value === null).map(([number]) => number),
    now,
  ])
  if (!changed) throw new Error('A locked contact was not changed')
  if (change.unsubscribed === false) await forgetOptOut(execute, teamId, hash)
  else if (unsubscribed) await rememberOptOuts(execute, teamId, [hash], now)
  if (isMoved) await moveTopicOptOuts(execute, teamId, { contact, addressHash: hash, now })
  return changed
}

/** What was decided under the old address holds under the new one, and what was decided under the new one for this contact. */
async function moveTopicOptOuts(
  execute: Execute,
  teamId: string,
  { contact, addressHash, now }: { contact: ContactRow; addressHash: string; now: Date },
): Promise<void> {
  const optedOut = await execute<{ id: string }>(
    `select topic_id as id from contact_topics where contact_id = $1 and subscription = 'opt_out'`,
    [contact.id],
  )
  await rememberTopicOptOuts(execute, teamId, { addressHashes: [addressHash], topicIds: optedOut.map(({ id }) => id), now })
  await restoreTopicOptOuts(execute, teamId, [{ id: contact.id, addressHash }], now)
}

const UPDATE = `
update contacts c set email = $3, first_name = $4, last_name = $5, unsubscribed = $6,
  properties = (c.properties || $7::jsonb) - $8::text[], updated_at = $9
where c.team_id = $1 and c.id = $2 returning ${contactColumns}`

const topicsOf = (execute: Execute, teamId: string, email: string): Promise<{ id: string; subscription: 'opt_in' | 'opt_out' }[]> =>
  execute(
    `select t.topic_id as id, t.subscription from contacts c join contact_topics t on t.contact_id = c.id
      where c.team_id = $1 and c.email = $2 order by t.topic_id`,
    [teamId, email],
  )
