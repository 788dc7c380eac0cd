// How the value of a header field is written in ASCII: text as encoded words, structured fields by their own grammar (RFC 5322; RFC 2047, section 5).
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs'
import { labelsToAscii } from './addresses.ts'
import { collapseSpaces } from './header-text.ts'

/** The octets of a line without its line break (RFC 5322, section 2.1.1). */
export const LINE_OCTETS_MAX = 998

/** A continued line begins with a space, and a line is folded only between words. */
export const WORD_OCTETS_MAX = LINE_OCTETS_MAX - 1

/** A name and its value on one line. Real fields are far smaller; some servers refuse a field of more than this. */
export const HEADER_FIELD_BYTES_MAX = 16 * 1024

/** All headers that a client gives. */
export const HEADERS_BYTES_MAX = 64 * 1024

/** RFC 5322, section 2.1.1, recommends lines of at most 78 with the name. */
export const HEADER_NAME_LENGTH_MAX = 76

/**
 * `ids`: message ids. `urls`: addresses of the web in angle brackets (RFC 2369). `phrases`: names before addresses or ids in angle brackets. `tokens`:
 * words of a grammar that knows ASCII only. `text`: anything else, in which words can be encoded anywhere.
 */
export type FieldKind = 'ids' | 'urls' | 'phrases' | 'tokens' | 'text'

/** The value in ASCII, empty if nothing of it can be sent; and what of it could not be written, if something could not. */
export type AsciiValue = { value: string; fault: 'id' | 'address' | 'token' | null }

const namesOf = (kind: FieldKind, names: string): [string, FieldKind][] => names.split(' ').map((name) => [name, kind])

const KINDS: ReadonlyMap<string, FieldKind> = new Map([
  ...namesOf('ids', 'in-reply-to references content-id original-message-id supersedes'),
  ...namesOf('urls', 'list-unsubscribe list-subscribe list-help list-post list-owner list-archive archived-at'),
  ...namesOf('phrases', 'list-id disposition-notification-to return-receipt-to errors-to mail-followup-to mail-reply-to followup-to'),
  ...namesOf('phrases', 'x-confirm-reading-to original-from author cfbl-address'),
  ...namesOf('tokens', 'list-unsubscribe-post feedback-id cfbl-feedback-id auto-submitted precedence importance priority x-priority'),
  ...namesOf('tokens', 'sensitivity x-auto-response-suppress expires expiry-date reply-by date received mime-version'),
  ...namesOf('tokens', 'content-transfer-encoding tls-required require-recipient-valid-since autocrypt openpgp bimi-selector'),
  ...namesOf('tokens', 'accept-language otp-token disposition-notification-options'),
])

export const fieldKind = (name: string): FieldKind => KINDS.get(name.toLowerCase()) ?? 'text'

/** The value of a structured field, on one line. */
export function asciiValue(kind: Exclude<FieldKind, 'text'>, given: string): AsciiValue {
  const value = collapseSpaces(given)
  switch (kind) {
    case 'ids':
      return idsInAscii(value)
    case 'urls':
      return { value: outsideBrackets(value, encodedWords, inUrl), fault: null }
    case 'phrases': {
      const written = outsideBrackets(value, phrasesInAscii, inAddress)
      return IS_ASCII.test(written) ? { value: written, fault: null } : { value: written.replace(NOT_ASCII, '?'), fault: 'address' }
    }
    case 'tokens':
      return IS_ASCII.test(value) ? { value, fault: null } : { value: value.replace(NOT_ASCII, '?'), fault: 'token' }
  }
}

/** Whether a line can be folded so that none has more than 998 octets. */
export const isFoldable = (value: string): boolean => value.split(' ').every((word) => word.length <= WORD_OCTETS_MAX)

/** A field of ASCII, folded between its words. */
export const foldedField = (name: string, value: string): string => foldLines(`${name}: ${value}`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
const IS_ASCII = /^[\x00-\x7f]*$/
const NOT_ASCII = /[^\p{ASCII}]/gu

/**
 * Ids stand apart by white space; commas between them are common. A bare id gets its angle brackets. Other words are none: old programs write of whose
 * message it was (RFC 5322, section 4.5.4), and comments are for people.
 */
function idsInAscii(value: string): AsciiValue {
  const ids = [...value.matchAll(ID)].flatMap(([word]) => bracketedId(word, value)).filter((id) => id !== '<>')
  const ascii = ids.filter((id) => IS_ASCII.test(id))
  return { value: ascii.join(' '), fault: ascii.length < ids.length ? 'id' : null }
}

function bracketedId(word: string, value: string): string[] {
  if (word.startsWith('<')) return [word.replaceAll(' ', '')]
  return word === value || (word.includes('@') && !/^["(]/.test(word)) ? [`<${word}>`] : []
}

const ID = /<[^<>]*>|"[^"]*"|\([^()]*\)|[^\s,<>]+/g

function outsideBrackets(value: string, outside: (text: string) => string, inside: (text: string) => string): string {
  if (IS_ASCII.test(value)) return value
  return value.replace(BRACKETS, (piece) =>
    piece.startsWith('<') && piece.endsWith('>') ? `<${inside(piece.slice(1, -1))}>` : outside(piece),
  )
}

/** In a quoted name, angle brackets are text. */
const BRACKETS = /<[^<>]*>|(?:"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[^<>"])+/gu

/** RFC 3986, section 2.1: the octets of UTF-8. The host, or the domain of `mailto:`, becomes A-labels. */
function inUrl(url: string): string {
  return url
    .replace(HOST, (_all, before: string, host: string) => `${before}${labelsToAscii(host)}`)
    .replace(BEYOND_ASCII, (characters) => encodeURIComponent(characters.toWellFormed()))
}

const HOST = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/|mailto:[^@?,<>]*@)([^/?#:,]+)/
const BEYOND_ASCII = /[^\p{ASCII}]+/gu

/** The domain as A-labels. Before its `@` nothing can be written in ASCII. */
function inAddress(address: string): string {
  const domainStart = address.lastIndexOf('@') + 1
  return address.slice(0, domainStart) + labelsToAscii(address.slice(domainStart))
}

function phrasesInAscii(text: string): string {
  return text.replace(PHRASE, (piece) => {
    if (IS_ASCII.test(piece)) return piece
    if (piece.startsWith('"'))
      return encodedPhrase(piece.slice(1, piece.length > 1 && piece.endsWith('"') ? -1 : undefined).replace(/\\(.)/gu, '$1'))
    return piece.includes('@') ? piece.replace(WORD, inAddress) : piece.replace(INNER, encodedPhrase)
  })
}

/** A string without its end is one to the end of the value. */
const PHRASE = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[^"(),;:]+/gu
const WORD = /[^ ]+/g
const INNER = /[^ ](?:.*[^ ])?/u

const encodedPhrase = (text: string): string => encodeWord(text, 'Q', ENCODED_WORD_LENGTH_MAX)
const encodedWords = (text: string): string => text.replace(ENCODABLE, (word) => (IS_ASCII.test(word) ? word : encodedOutside(word)))
const ENCODABLE = /[^ (),]+/g

/** Outside of angle brackets there are comments, and URLs whose brackets were forgotten. */
const encodedOutside = (word: string): string => (/^(?:https?|mailto):/i.test(word) ? inUrl(word) : encodedPhrase(word))

/** Fewer than the 75 of RFC 2047, section 2, so that the name of the field fits before the first. */
const ENCODED_WORD_LENGTH_MAX = 52
