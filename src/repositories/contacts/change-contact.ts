// Updates one contact, possibly with another address. What was decided under either address then applies to it.

import type { Execute, RecordTransaction } from '../database.ts'
import { valuesOfProperties } from './audience-references.ts'
import { appendTopicsNotification } from './contact-notifications.ts'
import { type ContactRow, findContact, updateContact } from './contact-rows.ts'
import { letterPairsOf, restoreOptOuts, restoreTopicOptOuts } from './merge-contacts.ts'
import { forgetOptOut, lockTopicsOptedOut, rememberOptOuts, rememberTopicOptOuts } from './opt-outs.ts'

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
    letterPairs: BigInt(letterPairsOf({ firstName, lastName, properties: { ...contact.properties, ...given } })),
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
