// The fields of an event's payload, as rows of a form and as the API takes them.
import type { RecordOf } from '../api/queries'
import { EVENT_TEXTS as TEXTS } from '../texts/events'

export type EventSchema = RecordOf<'/events/{event_id}'>['schema']
export type FieldType = NonNullable<EventSchema>[string]
export type FieldRow = { name: string; type: FieldType }
/** `isChecked`: otherwise any payload is accepted. */
export type FieldsForm = { isChecked: boolean; rows: FieldRow[] }

export const FIELD_TYPES: readonly FieldType[] = ['string', 'number', 'boolean', 'date']
const NAMED_MAX = 3

export const fieldsOf = (schema: EventSchema): FieldsForm => ({
  isChecked: schema !== null,
  rows: Object.entries(schema ?? {}).map(([name, type]) => ({ name, type })),
})

/** Rows without a name are left out. */
export const schemaOf = ({ isChecked, rows }: FieldsForm): EventSchema =>
  isChecked ? Object.fromEntries(rows.filter(({ name }) => name.trim() !== '').map(({ name, type }) => [name.trim(), type])) : null

/** "order_id, total and 2 more" */
export function schemaWords(schema: EventSchema): string {
  if (schema === null) return TEXTS.notChecked
  const names = Object.keys(schema)
  if (names.length === 0) return TEXTS.noFields
  const first = names.slice(0, NAMED_MAX).join(', ')
  return names.length > NAMED_MAX ? `${first} ${TEXTS.more(names.length - NAMED_MAX)}` : first
}

/** A payload with a value for each field, to be changed. Null if no field is known. */
export const examplePayload = (schema: EventSchema): Record<string, string | number | boolean> | null =>
  schema === null || Object.keys(schema).length === 0
    ? null
    : Object.fromEntries(Object.entries(schema).map(([name, type]) => [name, EXAMPLES[type]]))
const EXAMPLES = { string: '', number: 0, boolean: false, date: '2026-01-31' } as const
