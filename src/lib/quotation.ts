/** Enough to recognise a value by. */
const QUOTED_LENGTH_MAX = 80

/**
 * ` It is "...".`, to follow a sentence about a value that a client gave: cut, and without a character that a terminal or a log would act on.
 * Nothing for what has no short form. Never for what may be a secret: sentences are logged.
 */
export function itIs(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return ` It is ${value}.`
  if (typeof value !== 'string') return ''
  const kept = value.length > QUOTED_LENGTH_MAX ? value.slice(0, QUOTED_LENGTH_MAX).replace(HALF_AT_END, '') : value
  return ` It is ${escaped(kept)}${kept.length < value.length ? '..., which is longer' : ''}.`
}

/** The first half of a character that the cut went through. */
const HALF_AT_END = /[\ud800-\udbff]$/

/** JSON, and in its manner whatever else is not visible: line separators, and characters that change the direction of writing. */
const escaped = (text: string): string => JSON.stringify(text).replace(INVISIBLE, (character) => `\\u${hex(character)}`)

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
