// Checks the values of the fields that a team has defined.
import { invalid } from '../../../lib/failure.ts'
import { type Problem, problem } from '../../../lib/problem.ts'
import type { PropertyType } from './properties.schema.ts'

/** The fields of every contact, and the placeholders of broadcasts. They are reserved in any case, because readers could not tell them apart. */
const RESERVED_KEYS = new Set([
  'id',
  'email',
  'first_name',
  'last_name',
  'created_at',
  'updated_at',
  'unsubscribed',
  'properties',
  'segments',
  'topics',
  'unsubscribe_url',
])
/** A careless program could change all its objects through this key. No request may have such a field, so it could never get a value. */
const UNREADABLE_KEY = '__proto__'
const KEY = /^[A-Za-z0-9_]+$/

/** What is wrong with the key of a property, apart from its length. */
export function propertyKeyProblem(key: string): Problem | null {
  if (!KEY.test(key)) return problem('may hold only letters of A to Z, digits and underscores')
  if (key === UNREADABLE_KEY) return problem(`must not be \`${key}\`: requests with a field of this name are refused`)
  return RESERVED_KEYS.has(key.toLowerCase())
    ? problem(`must not be \`${key}\`: this name is reserved for a field that every contact has`)
    : null
}

type Value = string | number

/** What is wrong with a value for its property, as a sentence; null if it fits. */
export function checkValue(type: PropertyType, value: Value): string | null {
  if (typeof value !== type) return `must be a ${type}, like every value of this property`
  // JSON has no largest number; one that is too large is read as infinity.
  return typeof value === 'number' && !Number.isFinite(value) ? `must be a number of at most ${Number.MAX_VALUE}` : null
}

/**
 * Values as a client named them, by the number of their property.
 *
 * @param field where they are in the body, for the sentence
 * @throws Failure about the first key that the team does not have, or the first value of the wrong type
 */
export function valuesByNumber<Given extends Value | null>(
  given: Record<string, Given>,
  properties: { number: number; key: string; type: PropertyType }[],
  field = 'properties',
): Record<string, Given> {
  const byKey = new Map(properties.map((property) => [property.key, property]))
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const property = byKey.get(key)
      if (!property)
        throw invalid(
          `The \`${field}.${shown(key)}\` field is not a property of your contacts: create it first with POST /contact-properties.`,
        )
      const problem = value === null ? null : checkValue(property.type, value)
      if (problem !== null) throw invalid(`The \`${field}.${key}\` field ${problem}.`)
      return [property.number, value]
    }),
  )
}

/** Longer than the key of any property. A key that a client made up may be as long as the body. */
const KEY_SHOWN_LENGTH_MAX = 60

const shown = (key: string): string => (key.length > KEY_SHOWN_LENGTH_MAX ? `${key.slice(0, KEY_SHOWN_LENGTH_MAX).toWellFormed()}...` : key)
