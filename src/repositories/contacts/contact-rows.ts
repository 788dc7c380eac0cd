// A contact as it is stored, and how one is found.
import type { Execute } from '../database.ts'

export type ContactRow = {
  id: string
  email: string
  /** Of the address. */
  addressHash: string
  firstName: string | null
  lastName: string | null
  unsubscribed: boolean
  /** By the number of their property. */
  properties: Record<string, string | number>
  createdAt: Date
  updatedAt: Date
}

/** The columns of a ContactRow in plain SQL, of contacts called `c`. */
export const contactColumns =
  'c.id, c.email, c.address_hash as "addressHash", c.first_name as "firstName", c.last_name as "lastName", c.unsubscribed, c.properties, c.created_at as "createdAt", c.updated_at as "updatedAt"'

/** How a contact is named: in a path by its id or its address, in a link of a mail by what stands for the address. */
export type ContactReference = { id: string } | { email: string } | { addressHash: string }

export const findContact = (execute: Execute, teamId: string, reference: ContactReference): Promise<ContactRow | null> =>
  readContact(execute, teamId, reference, '')

/** Nobody else changes or deletes it until the transaction ends. */
export const lockContact = (execute: Execute, teamId: string, reference: ContactReference): Promise<ContactRow | null> =>
  readContact(execute, teamId, reference, 'for update')

async function readContact(
  execute: Execute,
  teamId: string,
  reference: ContactReference,
  lock: '' | 'for update',
): Promise<ContactRow | null> {
  const { text, value } = condition(reference)
  const [row] = await execute<ContactRow>(`select ${contactColumns} from contacts c where c.team_id = $1 and ${text} ${lock}`, [
    teamId,
    value,
  ])
  return row ?? null
}

function condition(reference: ContactReference): { text: string; value: string } {
  if ('id' in reference) return { text: 'c.id = $2::uuid', value: reference.id }
  if ('email' in reference) return { text: 'c.email = $2', value: reference.email }
  return { text: 'c.address_hash = $2', value: reference.addressHash }
}
