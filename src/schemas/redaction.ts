// Copies a body for the request log: secrets marked out, and nothing kept that the schema does not know.
import { type FieldTree, isRecord, jsonType } from './field-tree.ts'

export const REDACTED = '[redacted]'
export const NOT_KEPT = '[not kept]'

/**
 * A copy of `value` that may be written to a log.
 *
 * @param lengthMax how much of it is wanted, in characters of its JSON. The rest is not even looked at: where something was left out,
 *   the JSON of the copy is longer than this, and as far as this the same as that of a whole copy.
 */
export function redact(tree: FieldTree, value: unknown, lengthMax = Number.POSITIVE_INFINITY): unknown {
  return copy(tree, value, { left: lengthMax })
}

/** Characters that are still wanted. What is taken off is never more than the JSON has. */
type Wanted = { left: number }

function copy(tree: FieldTree, value: unknown, wanted: Wanted): unknown {
  wanted.left -= VALUE_LENGTH_MIN
  if (tree.isSecret) return value === null ? null : REDACTED
  const type = jsonType(value)
  if (tree.types.size > 0 && !tree.types.has(type)) return NOT_KEPT
  if (Array.isArray(value)) return tree.items ? copyOfArray(tree.items, value, wanted) : NOT_KEPT
  if (typeof value === 'string') return copyOfText(value, wanted)
  return isRecord(value) ? copyOfObject(tree, value, wanted) : value
}
/** The shortest JSON, and the opening bracket of what has entries. */
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
    const name = copyOfText(key, wanted)
    const known = tree.properties.get(key) ?? tree.values
    if (!known) wanted.left -= NOT_KEPT.length
    kept.push([name, known ? copy(known, entry, wanted) : NOT_KEPT])
  }
  return Object.fromEntries(kept)
}

/** A text that is cut leaves a character more than is wanted. */
function copyOfText(text: string, wanted: Wanted): string {
  const kept = text.slice(0, Math.max(0, wanted.left) + 1)
  wanted.left -= kept.length
  return storable(kept)
}

/** Without what PostgreSQL refuses: also a request that was refused for it is logged, in one statement with others. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
