// What happens to contacts here, beside the events that programs send.
import { type Execute, statement } from '../../db/database.ts'

export type NewOccurrence = { id: string; name: string; contactId: string; now: Date }

/** Tells the automations of a team of it, in the transaction in which it happens. */
export async function addOccurrence(execute: Execute, teamId: string, { id, name, contactId, now }: NewOccurrence): Promise<void> {
  await execute(ADD, [id, teamId, name, contactId, now])
}

const ADD = statement(
  'add-occurrence',
  `insert into automation_occurrences (id, team_id, name, contact_id, payload, created_at) values ($1, $2, $3, $4, '{}', $5)`,
)
