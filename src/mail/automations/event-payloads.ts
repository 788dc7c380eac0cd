// What an event may say: its payload is bounded, its numbers are exact, and it fits the schema of the event.
import { Failure, invalid } from '../../lib/failure.ts'
import { parseIsoTime } from '../../lib/iso-times.ts'
import { isProblem } from '../../lib/problem.ts'
import { refuseInexact, shownName } from '../../schemas/bodies/exact-numbers.ts'
import { fieldName } from '../../schemas/bodies/field-tree.ts'
import type { EventSchema } from '../../schemas/events.ts'
import { PAYLOAD_BYTES_MAX } from '../../schemas/sent-events.ts'

/**
 * Returns its bytes.
 *
 * @throws Failure about the first thing that is wrong with it
 */
export function checkPayload(
  payload: Record<string, unknown>,
  { field, event, schema }: { field: string; event: string; schema: EventSchema | null },
): number {
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  if (bytes > PAYLOAD_BYTES_MAX)
    throw new Failure('bodyTooLarge', `The \`${field}\` field must have at most ${PAYLOAD_BYTES_MAX / 1024} KB as JSON.`)
  refuseInexact(payload, field)
  if (schema) checkAgainst(schema, payload, { parent: field, event })
  return bytes
}

function checkAgainst(schema: EventSchema, payload: Record<string, unknown>, { parent, event }: { parent: string; event: string }): void {
  for (const [key, type] of Object.entries(schema)) {
    if (Object.hasOwn(payload, key) && !TYPES[type].holds(payload[key]))
      throw invalid(`The \`${shownName(fieldName(parent, key))}\` field must be ${TYPES[type].words}: the schema of \`${event}\` says so.`)
  }
}

const TYPES: Record<EventSchema[string], { words: string; holds(value: unknown): boolean }> = {
  string: { words: 'a string', holds: (value) => typeof value === 'string' },
  number: { words: 'a number', holds: (value) => typeof value === 'number' },
  boolean: { words: 'true or false', holds: (value) => typeof value === 'boolean' },
  date: { words: 'a date or a time in ISO 8601 (`YYYY-MM-DD`)', holds: isDate },
}

function isDate(value: unknown): boolean {
  const time = typeof value === 'string' ? parseIsoTime(value) : null
  return time !== null && !isProblem(time)
}
