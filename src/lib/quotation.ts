/** Enough to recognize a value. */
const QUOTED_LENGTH_MAX = 80

/**
 * ` It is "...".`, to follow a sentence about a value from a client. The value is cut, and has no character that a terminal or a log would act on.
 * Empty if the value has no short form. Never use it for a possible secret, because sentences are logged.
 */
export function quotedValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return ` It is ${value}.`
  if (typeof value !== 'string') return ''
  const kept = beginning(value)
  return ` It is ${escaped(kept)}${kept.length < value.length ? '..., which is longer' : ''}.`
}

/** A name that a client chose, for within a sentence. */
export function quoted(name: string): string {
  const kept = beginning(name)
  return escaped(kept) + (kept.length < name.length ? '...' : '')
}

const beginning = (text: string): string =>
  text.length > QUOTED_LENGTH_MAX ? text.slice(0, QUOTED_LENGTH_MAX).replace(HALF_AT_END, '') : text

/** Half of a character that was cut in the middle. */
const HALF_AT_END = /[\ud800-\udbff]$/

/** JSON, which also escapes what else is invisible: line separators, and characters that change the direction of writing. */
const escaped = (text: string): string => JSON.stringify(text).replace(INVISIBLE, (character) => `\\u${hex(character)}`)

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
