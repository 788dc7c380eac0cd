// Copies a body for the request log. Secrets are redacted, and nothing is kept that the schema does not know.
import { storable } from '../../lib/text.ts'
import { type FieldTree, isRecord, jsonType } from '../../lib/validation/field-tree.ts'

export const REDACTED = '[redacted]'
export const NOT_KEPT = '[not kept]'

/**
 * A copy of `value` that may be written to a log.
 *
 * @param lengthMax how much of it is wanted, in characters of its JSON. The rest is not read. If something was left out, the JSON of the
 * copy is longer than this, and its first `lengthMax` characters are those of a whole copy.
 */
export function redact(tree: FieldTree, value: unknown, lengthMax = Number.POSITIVE_INFINITY): unknown {
  // A body of another type has no known field.
  if (!tree.isSecret && tree.types.size > 0 && !tree.types.has(jsonType(value))) return NOT_KEPT
  return copy(tree, value, { left: lengthMax })
}

/**
 * Whether a copy of `value` would be the same: it has nothing secret, unknown or that cannot be stored. Most bodies are, and need no copy.
 *
 * @param lengthMax how many characters of it are looked at. False if it has more.
 */
export function isKeptWhole(tree: FieldTree, value: unknown, lengthMax: number): boolean {
  if (!tree.isSecret && tree.types.size > 0 && !tree.types.has(jsonType(value))) return false
  return isSame(tree, value, { left: lengthMax })
}

function isSame(tree: FieldTree, value: unknown, wanted: Wanted): boolean {
  wanted.left -= VALUE_LENGTH_MIN
  if (wanted.left < 0) return false
  if (tree.isSecret) return value === null
  if (Array.isArray(value)) return value.every((entry) => isSame(tree.items ?? tree, entry, wanted))
  if (isRecord(value)) return Object.keys(value).every((key) => isSameField(tree, key, value[key], wanted))
  if (typeof value !== 'string' && typeof value !== 'number') return true
  if (!tree.types.has(jsonType(value)) && holdsSecret(tree)) return false
  return typeof value === 'number' || (!tree.hasSecretQuery && isStorable(value, wanted))
}

function isSameField(tree: FieldTree, key: string, value: unknown, wanted: Wanted): boolean {
  const known = tree.properties.get(key) ?? tree.values ?? tree.items?.properties.get(key)
  return known !== null && known !== undefined && isStorable(key, wanted) && isSame(known, value, wanted)
}

function isStorable(text: string, wanted: Wanted): boolean {
  wanted.left -= text.length
  return wanted.left >= 0 && storable(text) === text
}

/** Characters that are still wanted. What is subtracted is never more than the JSON has. */
type Wanted = { left: number }

/** The value of a known field is kept whatever its type, because people look in the log for what was wrong with it. */
function copy(tree: FieldTree, value: unknown, wanted: Wanted): unknown {
  wanted.left -= VALUE_LENGTH_MIN
  if (tree.isSecret) return value === null ? null : REDACTED
  if (Array.isArray(value)) return copyOfArray(tree.items ?? tree, value, wanted)
  if (isRecord(value)) return copyOfObject(tree, value, wanted)
  if (typeof value !== 'string' && typeof value !== 'number') return value
  // A value of the wrong type, in a field that holds a secret, may be that secret.
  if (!tree.types.has(jsonType(value)) && holdsSecret(tree)) return REDACTED
  if (typeof value === 'number') return value
  return copyOfText(tree.hasSecretQuery ? bareUrl(value) : value, wanted)
}
/** The shortest JSON value, and the opening bracket of an object or array. */
const VALUE_LENGTH_MIN = 1

function copyOfArray(items: FieldTree, value: unknown[], wanted: Wanted): unknown[] {
  const kept: unknown[] = []
  for (const entry of value) {
    if (wanted.left < 0) break
    kept.push(copy(items, entry, wanted))
  }
  return kept
}

function copyOfObject(tree: FieldTree, value: Record<string, unknown>, wanted: Wanted): unknown {
  const kept: [string, unknown][] = []
  for (const [key, entry] of Object.entries(value)) {
    if (wanted.left < 0) break
    const name = copyOfName(key, wanted)
    // A single entry given instead of an array has the fields of an entry.
    const known = tree.properties.get(key) ?? tree.values ?? tree.items?.properties.get(key)
    if (!known) wanted.left -= NOT_KEPT.length
    kept.push([name, known ? copy(known, entry, wanted) : NOT_KEPT])
  }
  return Object.fromEntries(kept)
}

/** Whether a value of this form may have a secret in it, at any depth. */
export function holdsSecret({ isSecret, properties, items, values }: FieldTree): boolean {
  return isSecret || [...properties.values(), items, values].some((inner) => inner !== null && holdsSecret(inner))
}

/**
 * A URL without the parts that may sign it or sign in with it: user and password, query, fragment, parameters of a path. Other schemes may
 * hold the file itself (`data:`), so only the scheme is kept.
 */
function bareUrl(text: string): string {
  const url = text.trimStart()
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:/i.exec(url)?.[0] ?? ''
  if (!/^https?:$/i.test(scheme)) return `${scheme}${REDACTED}`
  const withoutUser = url.replace(/^(https?:[/\\]*)[^/\\?#]*@/i, `$1${REDACTED}@`)
  // A question mark counts too if it was encoded once too often.
  const query = /[?#;]|%3f/i.exec(withoutUser)
  return query === null ? withoutUser : `${withoutUser.slice(0, query.index)}${query[0]}${REDACTED}`
}

/** A name that is cut ends with a sign: one that became a number would move to the front of its object. */
function copyOfName(name: string, wanted: Wanted): string {
  const kept = copyOfText(name, wanted)
  return kept.length < name.length ? `${kept}…` : kept
}

/** A text that is cut keeps one character more than is wanted. */
function copyOfText(text: string, wanted: Wanted): string {
  const kept = text.slice(0, Math.max(0, wanted.left) + 1)
  wanted.left -= kept.length
  // A request that was refused because of what cannot be stored is logged too, in one statement with others. Its length stays what was counted.
  return storable(kept, { nul: '\uFFFD' })
}

// A body as the request log keeps it.

export const LOGGED_BODY_BYTES_MAX = 64 * 1024

/** `json`: null if there is none. */
export type LoggedBody = { json: string | null; isCut: boolean; bytes: number }

/** Redacted only as far as it is kept: redacting a body of 30 MB would block every other request. */
export function loggedBody(fields: FieldTree, value: unknown): LoggedBody {
  if (value === undefined || isKeptWhole(fields, value, LOGGED_BODY_BYTES_MAX)) return cutBody(value)
  return cutBody(redact(fields, value, LOGGED_BODY_BYTES_MAX))
}

/** A body that is too long becomes a string: the beginning of its JSON. */
export function cutBody(value: unknown): LoggedBody {
  if (value === null || value === undefined) return { json: null, isCut: false, bytes: 0 }
  const json = JSON.stringify(value)
  if (json.length <= LOGGED_BODY_BYTES_MAX && Buffer.byteLength(json) <= LOGGED_BODY_BYTES_MAX)
    return { json, isCut: false, bytes: json.length }
  const kept = Buffer.from(json.slice(0, LOGGED_BODY_BYTES_MAX))
    .subarray(0, LOGGED_BODY_BYTES_MAX)
    .toString('utf8')
    .replace(/\uFFFD{1,3}$/, '')
    .toWellFormed()
  return { json: JSON.stringify(kept), isCut: true, bytes: kept.length }
}
