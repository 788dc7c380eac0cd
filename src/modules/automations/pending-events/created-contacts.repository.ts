// The creation of a contact, which starts automations without a program that sends an event.
import { statement } from '../../../db/database.ts'
import type { NotifyCreated } from '../../audience/contacts/contacts.repository.ts'
import { addOccurrence } from '../../events/new-occurrences.repository.ts'

/** The name that webhooks have for it. An event of this name that a program sends starts the same automations. */
const CONTACT_CREATED = 'contact.created'

/** In the transaction that creates the contact, which is locked. Most teams have no such automation, and then nothing is written. */
export const notifyCreated: NotifyCreated = async (execute, teamId, { id, contactId, now }) => {
  const started = await execute(STARTED, [teamId, CONTACT_CREATED])
  if (started.length > 0) await addOccurrence(execute, teamId, { id, name: CONTACT_CREATED, contactId, now })
}

const STARTED = statement(
  'automations-of-event',
  "select from automations where team_id = $1 and trigger_event = $2 and status = 'enabled' and deleted_at is null limit 1",
)
