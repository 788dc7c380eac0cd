/** Ends a `switch` over a closed set: a new member without a case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`)
}

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

/**
 * What is wrong with a value from a client, as a value and not an exception. The sentence follows the field's name: "must be one address, not
 * several", "may not be longer than 100 characters".
 */
export type Problem = { problem: string }

export const problem = (sentence: string): Problem => ({ problem: sentence })

export const isProblem = <T extends object>(value: T | Problem): value is Problem => 'problem' in value

/**
 * The sentence for the client, which names the field as the client wrote it: "The `to[3]` field must be one address, not several."
 *
 * @param value what the field holds, if that helps and cannot be a secret.
 */
export const explainProblem = (field: string, { problem }: Problem, value?: string): string =>
  `The \`${field}\` field ${problem}.${quotedValue(value)}`

/** What an error says, whatever was thrown. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Its code, such as `ENOENT` or that of PostgreSQL; empty if it has none. */
export const errorCode = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
