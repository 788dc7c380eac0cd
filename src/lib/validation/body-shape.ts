// Checks the shape of a JSON text before it is parsed: a few million objects would block the process for half a minute and take gigabytes.
import { invalid } from '../failure.ts'
import { DEPTH_MAX, fieldName, isRecord } from './field-tree.ts'

/** A full batch, 100 emails with all the tags and attachments that they may have, has about 36,000. */
export const OBJECTS_AND_ARRAYS_MAX = 50_000
/** Names of fields count too. A full batch has about 150,000. */
export const STRINGS_MAX = 250_000
/** Commas between numbers cost little, and an attachment may be an array of up to 5 Mi bytes: room for two of them and the rest. */
export const COMMAS_MAX = 12 * 1024 * 1024
/**
 * Bytes of a string that are read one by one. In a longer string the search jumps to the next quote, because by then the call is worth its
 * cost.
 */
const HOP_AFTER_BYTES = 64

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING_BRACKET = 0x5b
/** `{` and `[` differ only in this bit, and so do `}` and `]`. */
const BRACE_BIT = 0x20
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

const TOO_DEEP = 'The request body is nested too deeply.'
const tooMany = (max: number, what: string): string =>
  `The request body has more than ${max.toLocaleString('en')} ${what}. Please split it into several requests.`

/**
 * What is wrong with the shape of a text, as a sentence; null if nothing is. Takes one pass, and does not say whether the text is valid
 * JSON.
 */
export function shapeProblem(bytes: Buffer): string | null {
  let depth = 0
  let containers = 0
  let strings = 0
  let commas = 0
  const { length } = bytes
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] ?? 0
    // Skips spaces, digits and the characters of words and numbers, which are most of what stands outside strings.
    if (byte < QUOTE || (byte > COMMA && byte < OPENING_BRACKET)) continue
    if (byte === COMMA) {
      commas += 1
      if (commas > COMMAS_MAX) return tooMany(COMMAS_MAX, 'values')
    } else if (byte === QUOTE) {
      strings += 1
      if (strings > STRINGS_MAX) return tooMany(STRINGS_MAX, 'strings')
      at = endOfString(bytes, at + 1)
    } else if ((byte | BRACE_BIT) === OPENING_BRACE) {
      depth += 1
      containers += 1
      if (depth > DEPTH_MAX) return TOO_DEEP
      if (containers > OBJECTS_AND_ARRAYS_MAX) return tooMany(OBJECTS_AND_ARRAYS_MAX, 'objects and arrays')
    } else if ((byte | BRACE_BIT) === CLOSING_BRACE) depth -= 1
  }
  return null
}

/** The position of the closing quote of the string that begins at `start`; the end of the text if there is none. */
function endOfString(bytes: Buffer, start: number): number {
  const { length } = bytes
  let at = start
  let walked = 0
  while (at < length) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    at += byte === BACKSLASH ? 2 : 1
    walked += 1
    if (walked < HOP_AFTER_BYTES) continue
    const quote = bytes.indexOf(QUOTE, at)
    if (quote === -1) return length
    if (!isEscaped(bytes, quote, at)) return quote
    at = quote + 1
    walked = 0
  }
  return length
}

/** Whether an odd number of backslashes precedes a quote; no backslash reaches back beyond `from`. */
function isEscaped(bytes: Buffer, quote: number, from: number): boolean {
  let backslashes = 0
  while (quote - backslashes > from && bytes[quote - backslashes - 1] === BACKSLASH) backslashes += 1
  return backslashes % 2 === 1
}

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
