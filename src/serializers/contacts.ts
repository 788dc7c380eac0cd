import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { PropertyRow } from '../repositories/contacts/contact-properties.ts'
import type { ContactRow } from '../repositories/contacts/contact-rows.ts'
import type { Contact, ContactSummary } from '../schemas/contacts.ts'

export const toContactSummary = (row: ContactRow): Static<typeof ContactSummary> => ({
  object: 'contact',
  id: row.id,
  email: row.email,
  first_name: row.firstName,
  last_name: row.lastName,
  created_at: toTimestamp(row.createdAt),
  unsubscribed: row.unsubscribed,
})

/** @param properties those of the team; values of other properties are not shown */
export const toContact = (row: ContactRow, properties: PropertyRow[]): Static<typeof Contact> => ({
  ...toContactSummary(row),
  properties: Object.fromEntries(
    properties.flatMap(({ number, key, type }) => {
      const value = row.properties[number]
      return value === undefined ? [] : [[key, { value, type }]]
    }),
  ),
})
