// Removes a contact with all that is known of it; in SQL, because it is many statements in one transaction, on which the request waits.
import type { Execute } from '../database.ts'
import { appendContactNotification } from './contact-notifications.ts'
import type { ContactRow } from './contact-rows.ts'
import { forgetContact } from './forgotten-contacts.ts'

/**
 * The contact is removed at once. What is left of very many events and runs follows by a job, and is shown to no one until then. The opt-out of the
 * address stays, as a hash. The contact is locked.
 */
export async function removeContact(execute: Execute, teamId: string, { contact, now }: { contact: ContactRow; now: Date }): Promise<void> {
  await appendContactNotification(execute, 'contact.deleted', { teamId, contact, now })
  await execute('delete from contact_segments where contact_id = $1', [contact.id])
  await execute('delete from contact_topics where contact_id = $1', [contact.id])
  // Events that were sent for its address before it was a contact: the next contact with this address must not get them.
  await execute('delete from sent_events where team_id = $1 and email = $2', [teamId, contact.email])
  await execute('delete from automation_occurrences where team_id = $1 and email = $2', [teamId, contact.email])
  await forgetContact(execute, teamId, { contactId: contact.id, now })
  await execute('delete from contacts where team_id = $1 and id = $2', [teamId, contact.id])
}
