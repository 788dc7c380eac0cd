// A contact as it is stored, and how one is found; in SQL where it is locked, or read in a transaction of plain SQL.
import type { Prisma } from '../../generated/prisma/client.ts'
import { stored } from '../columns.ts'
import type { Execute, RecordTransaction } from '../database.ts'

export const contactSelect = {
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

type SelectedContact = Prisma.ContactGetPayload<{ select: typeof contactSelect }>

/** `addressHash`: the hash of the address. */
export type ContactRow = Omit<SelectedContact, 'properties'> & {
  /** Keyed by the number of the property. */
  properties: Record<string, string | number>
}

export const toContactRow = ({ properties, ...row }: SelectedContact): ContactRow => ({
  ...row,
  properties: stored<ContactRow['properties']>(properties),
})

/** The columns of a ContactRow in plain SQL, for contacts called `c`. */
export const contactColumns =
  'c.id, c.email, c.address_hash as "addressHash", c.first_name as "firstName", c.last_name as "lastName", c.unsubscribed, c.properties, c.created_at as "createdAt", c.updated_at as "updatedAt"'

/** How a contact is named: in a path by its id or its address, in the link of an email by the hash of its address. */
export type ContactReference = { id: string } | { email: string } | { addressHash: string }

export async function findContact(
  tables: RecordTransaction['tables'],
  teamId: string,
  reference: ContactReference,
): Promise<ContactRow | null> {
  const row = await tables.contact.findFirst({ where: { teamId, ...onlyKey(reference) }, select: contactSelect })
  return row && toContactRow(row)
}

/** Reads a contact in a transaction of plain SQL. */
export const readContact = (execute: Execute, teamId: string, reference: ContactReference): Promise<ContactRow | null> =>
  selectContact(execute, teamId, reference, '')

/** Reads contacts, in no order. */
export const readContacts = (execute: Execute, teamId: string, ids: string[]): Promise<ContactRow[]> =>
  execute<ContactRow>(`select ${contactColumns} from contacts c where c.team_id = $1 and c.id = any($2::uuid[])`, [teamId, ids])

/** No other transaction changes or deletes it until this one ends. */
export const lockContact = (execute: Execute, teamId: string, reference: ContactReference): Promise<ContactRow | null> =>
  selectContact(execute, teamId, reference, 'for update')

async function selectContact(
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

function onlyKey(reference: ContactReference): ContactReference {
  if ('id' in reference) return { id: reference.id }
  return 'email' in reference ? { email: reference.email } : { addressHash: reference.addressHash }
}

/** Changes a locked contact. */
export async function updateContact(
  tables: RecordTransaction['tables'],
  teamId: string,
  id: string,
  data: Prisma.ContactUncheckedUpdateManyInput,
): Promise<ContactRow> {
  const [changed] = await tables.contact.updateManyAndReturn({ where: { teamId, id }, data, select: contactSelect })
  if (!changed) throw new Error('A locked contact was not changed')
  return toContactRow(changed)
}
