import { type Problem, problem } from '../problem.ts'

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
    ? problem(`must not be \`${key}\`: this name stands for something that every contact has`)
    : null
}
