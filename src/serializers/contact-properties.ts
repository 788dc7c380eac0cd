import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { PropertyRow } from '../repositories/contacts/contact-properties.ts'
import type { ContactProperty, ContactPropertySummary } from '../schemas/contact-properties.ts'

export const toContactPropertySummary = (row: PropertyRow): Static<typeof ContactPropertySummary> => ({
  id: row.id,
  key: row.key,
  type: row.type,
  fallback_value: row.fallbackValue,
  created_at: toTimestamp(row.createdAt),
})

export const toContactProperty = (row: PropertyRow): Static<typeof ContactProperty> => ({
  object: 'contact_property',
  ...toContactPropertySummary(row),
})
