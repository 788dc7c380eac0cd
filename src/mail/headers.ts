// The headers that a client adds to an email of POST /emails.
import { type Problem, problem } from '../lib/problem.ts'
import {
  type AsciiValue,
  asciiValue,
  fieldKind,
  HEADER_FIELD_BYTES_MAX,
  HEADER_NAME_LENGTH_MAX,
  HEADERS_BYTES_MAX,
  isFoldable,
  WORD_OCTETS_MAX,
} from './header-fields.ts'
import { holdsEncodedWord } from './header-text.ts'
import { isReservedVerdictHeader } from './reserved-headers.ts'

/** The first problem of the headers that a client wants to add, or null. */
export function checkCustomHeaders(headers: Readonly<Record<string, string>>): Problem | null {
  const entries = Object.entries(headers)
  if (entries.length > CUSTOM_HEADERS_MAX) return problem(`may hold at most ${CUSTOM_HEADERS_MAX} headers, not ${entries.length}`)
  const seen = new Set<string>()
  let bytes = 0
  for (const [name, value] of entries) {
    const found = problemOfName(name) ?? problemOfValue(name, unfolded(value))
    if (found !== null) return found
    if (seen.has(name.toLowerCase())) return problem(`names ${quoted(name)} twice: upper and lower case are the same header`)
    seen.add(name.toLowerCase())
    bytes += fieldBytes(name, unfolded(value))
  }
  return bytes > HEADERS_BYTES_MAX ? problem(`may have at most ${HEADERS_BYTES_MAX / 1024} KB in all, not ${bytes} bytes`) : null
}

/** The headers as they are kept: each value on one line. Those of structured fields that are empty are left out when the message is made. */
export const unfoldedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, unfolded(value)]))

/** A line break with white space after it folds a line, and adds no header (RFC 5322, section 2.2.3). */
const unfolded = (value: string): string => value.replace(/(?:\r\n|\n)[\t ]+/g, ' ')

const fieldBytes = (name: string, value: string): number => Buffer.byteLength(`${name}: ${value}`)

/** More than any real message adds, and few enough to stay within a server's limit on headers. */
const CUSTOM_HEADERS_MAX = 50

/** `ftext` of RFC 5322, section 3.6.8: visible ASCII without the colon. */
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/

/** Control characters except the tab. Line breaks would add other headers. */
const CONTROL_CHARACTER = /(?!\t)\p{Cc}/u

/** Headers that the service writes itself, or that would speak on behalf of someone else. */
const FORBIDDEN_NAMES = new Set([
  'from',
  'sender',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'received',
  'dkim-signature',
  'mime-version',
])

const FORBIDDEN_PREFIXES = ['resent-', 'content-']

function problemOfName(name: string): Problem | null {
  if (!FIELD_NAME.test(name)) {
    return problem(`has the header name ${quoted(name)}: use visible ASCII characters without spaces and colons`)
  }
  if (name.length > HEADER_NAME_LENGTH_MAX)
    return problem(`has the header name ${quoted(name)}: use at most ${HEADER_NAME_LENGTH_MAX} characters`)
  const lower = name.toLowerCase()
  if (isReservedVerdictHeader(lower)) return problem(`may not set ${quoted(name)}: only servers that receive mail write that header`)
  const isForbidden = FORBIDDEN_NAMES.has(lower) || FORBIDDEN_PREFIXES.some((prefix) => lower.startsWith(prefix))
  return isForbidden ? problem(`may not set ${quoted(name)}: the service writes that header itself`) : null
}

function problemOfValue(name: string, value: string): Problem | null {
  if (CONTROL_CHARACTER.test(value)) return problem(`has a line break or another control character in the value of ${quoted(name)}`)
  if (fieldBytes(name, value) > HEADER_FIELD_BYTES_MAX)
    return problem(`has a value of ${quoted(name)} that is too long: a header may have at most ${HEADER_FIELD_BYTES_MAX / 1024} KB`)
  if (holdsEncodedWord(value)) {
    return problem(`has an encoded word (\`=?...?=\`) in the value of ${quoted(name)}: write the value unencoded, in any script`)
  }
  const kind = fieldKind(name)
  if (kind === 'text') return null
  const { value: written, fault } = asciiValue(kind, value)
  if (fault !== null) return problem(`has ${FAULTS[fault]} in the value of ${quoted(name)}`)
  return isFoldable(written)
    ? null
    : problem(
        `has more than ${WORD_OCTETS_MAX} characters without a space in the value of ${quoted(name)}: put spaces between them, because no line of a message can hold so many`,
      )
}

const FAULTS: Record<Exclude<AsciiValue['fault'], null>, string> = {
  id: 'a message id with characters that are not ASCII',
  address: 'an address or id with characters that are not ASCII, which cannot be encoded there,',
  token: 'characters that are not ASCII, which this header does not know,',
}

/** A name as part of a sentence: escaped, and cut to a length that the sentence has room for. */
const quoted = (name: string): string =>
  `\`${JSON.stringify(name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name).slice(1, -1)}\``

/**
 * A message has each of these fields at most once (RFC 5322, section 3.6; RFC 2045, section 3). Readers differ in which of several they show, and a
 * signature may cover another.
 */
export const SINGLE_FIELDS = [
  ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Content-Disposition', 'Content-ID'],
] as const

/** One line of a header (RFC 5322, section 2.1.1). */
export const SUBJECT_LENGTH_MAX = 998

// Characters that end a line, that show nothing, or that make a line read in another order than it was written. Marks such as U+200F and isolates
// (U+2066 to U+2069) are allowed: text in both directions needs them, and they turn nothing outside of what they enclose.
export const UNSAFE_CHARACTER = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u

/** What is wrong with a subject. Its length is limited by the schema. */
export function checkSubject(subject: string): Problem | null {
  if (/[\r\n]/.test(subject)) return problem('must be one line')
  if (UNSAFE_CHARACTER.test(subject)) return problem('may not hold control characters or characters that change the direction of writing')
  return holdsEncodedWord(subject) ? problem('holds an encoded word (`=?...?=`): write the subject unencoded, in any script') : null
}
