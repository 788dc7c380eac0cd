// How a value is written at the place of its placeholder. The author of a text may write any HTML; the people that it tells about may not.
import { escapeHtml } from '../html/html-tokens.ts'
import { percentEncoded, type UrlPlace } from './url-places.ts'

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

/**
 * `line`: a header, which has no line breaks. `text`: plain text. The others are in HTML:
 *
 * - `html`: between tags, or in an attribute that is not listed below.
 * - `address`: the beginning of an address, as in `href`. `address part`: after other placeholders, so that it could still become the scheme.
 *   `scheme`: before a colon of the author.
 * - `style`: in a `style` element or attribute.
 * - `json`: in a string of JSON-LD, which is data and no script.
 * - `nowhere`: in scripts, in the names of tags and attributes, and wherever else no escaping makes a value harmless.
 */
export type PlaceKind = 'line' | 'text' | 'html' | 'address' | 'address part' | 'scheme' | 'style' | 'json' | 'nowhere'

/**
 * `isBare`: without quotes around it, or in a comment, which some programs read as HTML. `isNeverEmpty`: if nothing stood there, what follows would
 * be read as something else. `url`: in a URL of the author, after its beginning.
 */
export type Place = { kind: PlaceKind; isBare: boolean; isNeverEmpty?: boolean; url?: UrlPlace }

/** A space that ends no value without quotes, and no comment. */
export const BLANK = '&#32;'

/** A value that the author of the text did not write, for its place. */
export function atPlace({ kind, isBare, url }: Place, value: string): string {
  // What is left is neither a quote nor a bracket nor a space, so nothing needs to be escaped anywhere.
  if (url === 'part' || url === 'address') return percentEncoded(url, value)
  if (url) return kind === 'text' || kind === 'json' ? percentEncoded(url, value) : escapeHtml(percentEncoded(url, value))
  const harmless = HARMLESS[kind](value)
  if (kind === 'line' || kind === 'text' || kind === 'json') return harmless
  return isBare ? escapeBare(harmless) : escapeHtml(harmless)
}

const HARMLESS: Record<PlaceKind, (value: string) => string> = {
  line: (value) => value,
  text: (value) => value,
  html: (value) => value,
  address: (value) => (SCHEME.test(value.trim()) ? value.trim() : withoutScheme(value)),
  'address part': withoutScheme,
  scheme: (value) => (value === '' || SCHEME.test(value) || SCHEME_NAME.test(value) ? value : `unknown-${withoutScheme(value)}`),
  style: (value) => (STYLE.test(value) ? value : ''),
  json: (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[<>&\u2028\u2029]/g, inJson),
  nowhere: () => '',
}

/** No end tag and no comment can begin in a script then. */
const inJson = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A link with any other scheme may run a program, or show a page that is not of the web. */
const SCHEME = /^(?:https?|mailto|tel|sms):/i
const SCHEME_NAME = /^(?:https?|mailto|tel|sms)$/i

/** Words, numbers, units and colors. */
const STYLE = /^[\w #%.,-]*$/

/** The colon before a path, a query or a fragment would make all before it the scheme. */
function withoutScheme(value: string): string {
  const end = value.search(/[/?#]/)
  const beginning = end < 0 ? value : value.slice(0, end)
  return beginning.replaceAll(':', '%3A') + value.slice(beginning.length)
}

/** Spaces, equals signs and backquotes too. */
const escapeBare = (text: string): string => text.replace(/[^A-Za-z0-9\u0080-\uffff]/g, (character) => `&#${character.charCodeAt(0)};`)

/** A subject or a name of a sender on one line. */
export const onOneLine = (value: string): string => value.replace(LINE_BREAKS, ' ')

export const hasLineBreak = (value: string): boolean => LINE_BREAK.test(value)

const LINE_BREAK = /[\r\n\v\f\u0085\u2028\u2029]/
const LINE_BREAKS = /[\r\n\v\f\u0085\u2028\u2029]+/g

/**
 * `text`: null if there is none, so that a fallback is used: that of the placeholder, or else the one given here. `isRaw`: it may hold HTML, because
 * it comes from the sender. What comes from other people is escaped.
 */
export type PlaceholderValue = { text: string | null; fallback: string | null; isRaw: boolean }

/** Null if nothing has this name. */
export type ValueOf = (name: string) => PlaceholderValue | null
