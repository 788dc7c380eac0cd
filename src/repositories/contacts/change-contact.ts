// An update of one contact, which may give it another address: what was decided under either address holds for it then.

import type { Execute } from '../database.ts'
import { valuesOfProperties } from './audience-references.ts'
import { tellOfTopics } from './contact-notifications.ts'
import { type ContactRow, findContact } from './contact-rows.ts'
import { letterPairsOf, restoreOptOuts, restoreTopicOptOuts } from './merge-contacts.ts'
import { forgetOptOut, rememberOptOuts, rememberTopicOptOuts } from './opt-outs.ts'

/** What is not in it stays as it is. */
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
  execute: Execute,
  teamId: string,
  { contact, change, hashOf, now }: ChangeOfContact,
): Promise<ContactRow> {
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
  if (!changed) throw new Error('A locked contact is gone')
  return changed
}

type MovedContact = { contact: Pick<ContactRow, 'id' | 'email'>; addressHash: string; now: Date }

/** What was decided under the old address holds under the new one, and what was decided under the new one for this contact. */
async function moveTopicOptOuts(execute: Execute, teamId: string, { contact, addressHash, now }: MovedContact): Promise<void> {
  const optedOut = await execute<{ id: string }>(LOCK_TOPICS_OPTED_OUT, [teamId, contact.id])
  await rememberTopicOptOuts(execute, teamId, { addressHashes: [addressHash], topicIds: optedOut.map(({ id }) => id), now })
  const topics = await restoreTopicOptOuts(execute, teamId, [{ id: contact.id, addressHash }], now)
  await tellOfTopics(execute, { teamId, contact, topics, now })
}

const UPDATE = `
update contacts c set email = $3, address_hash = $4, first_name = $5, last_name = $6, unsubscribed = $7,
  properties = (c.properties || $8::jsonb) - $9::text[], updated_at = $10, letter_pairs = $11
where c.team_id = $1 and c.id = $2`

/** A topic that went now would leave behind what is remembered of it. */
const LOCK_TOPICS_OPTED_OUT = `
select t.id from contact_topics ct join topics t on t.id = ct.topic_id and t.team_id = $1
where ct.contact_id = $2 and ct.subscription = 'opt_out' order by t.id for key share of t`
