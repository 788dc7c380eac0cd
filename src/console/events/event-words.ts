import type { EventRow } from '../../modules/events/events.repository.ts'

export const ADDRESS = '/console/events'

export const eventAddress = ({ id }: Pick<EventRow, 'id'>): string => `${ADDRESS}/${id}`

const FIELDS_NAMED_MAX = 3

/** What payloads are checked for. */
export function schemaWords({ schema }: Pick<EventRow, 'schema'>): string {
  if (schema === null) return 'not checked'
  const names = Object.keys(schema)
  if (names.length === 0) return 'no fields'
  const first = names.slice(0, FIELDS_NAMED_MAX).join(', ')
  return names.length > FIELDS_NAMED_MAX ? `${first} and ${names.length - FIELDS_NAMED_MAX} more` : first
}
