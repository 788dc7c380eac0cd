// Finds the placeholders of a text: `{{{NAME}}}`, or `{{{NAME|fallback}}}`. All other braces are text.

export type Placeholder = {
  name: string
  /** What the author of the text wants if there is no value; null if the placeholder says nothing about that. */
  fallback: string | null
}

/** The parts of a text in order: what is copied, and what is filled in. */
export function readPlaceholders(source: string): (string | Placeholder)[] {
  const parts: (string | Placeholder)[] = []
  let copied = 0
  for (const { 0: whole, 1: name = '', 2: fallback, index } of source.matchAll(PLACEHOLDER)) {
    if (index > copied) parts.push(source.slice(copied, index))
    parts.push({ name, fallback: fallback ?? null })
    copied = index + whole.length
  }
  if (copied < source.length) parts.push(source.slice(copied))
  return parts
}

/** Longer than the key of any variable or property, with what stands before it. A longer one is text. */
const NAME_LENGTH_MAX = 100

/**
 * Spaces around the name are for people. A fallback has no braces, so that a placeholder cannot be inside of another, and one that is not closed
 * ends where the next one begins.
 */
const PLACEHOLDER = new RegExp(String.raw`\{\{\{\s*([A-Za-z0-9_][A-Za-z0-9_.]{0,${NAME_LENGTH_MAX - 1}})\s*(?:\|([^{}]*))?\}\}\}`, 'g')
