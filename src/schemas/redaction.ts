// Copies a body for the request log: secrets marked out, and nothing kept that the schema does not know.
import { type FieldTree, isRecord, jsonType } from './field-tree.ts'

export const REDACTED = '[redacted]'
export const NOT_KEPT = '[not kept]'

/** A copy of `value` that may be written to a log. */
export function redact(tree: FieldTree, value: unknown): unknown {
  if (tree.isSecret) return value === null ? null : REDACTED
  const type = jsonType(value)
  if (tree.types.size > 0 && !tree.types.has(type)) return NOT_KEPT
  if (Array.isArray(value)) {
    const items = tree.items
    return items ? value.map((entry) => redact(items, entry)) : NOT_KEPT
  }
  if (typeof value === 'string') return storable(value)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      const known = tree.properties.get(key) ?? tree.values
      return [storable(key), known ? redact(known, entry) : NOT_KEPT]
    }),
  )
}

/** Without what PostgreSQL refuses: also a request that was refused for it is logged, in one statement with others. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
