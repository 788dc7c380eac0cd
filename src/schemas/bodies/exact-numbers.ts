import { invalid } from '../../lib/failure.ts'
import { fieldName, isRecord } from './field-tree.ts'

/**
 * JSON readers round whole numbers beyond 2^53, and those beyond 10^308 are no numbers at all.
 *
 * @throws Failure about the first of them
 */
export function refuseInexact(value: unknown, name: string): void {
  if (typeof value === 'number' && (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)))
    throw invalid(`The \`${shownName(name)}\` field holds a number beyond 2^53, which would be rounded. Send it as a string.`)
  if (Array.isArray(value)) for (const [index, entry] of value.entries()) refuseInexact(entry, fieldName(name, index))
  else if (isRecord(value)) for (const [key, entry] of Object.entries(value)) refuseInexact(entry, fieldName(name, key))
}

/** Clients choose the names of fields, which may be long. */
export const shownName = (name: string): string =>
  name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}...` : name
const NAME_LENGTH_MAX = 200
