import { type Problem, problem } from '../lib/problem.ts'
import { holdsEncodedWord } from './header-text.ts'

/** The first problem of the headers that a client wants to add, or null. */
export function checkCustomHeaders(headers: Readonly<Record<string, string>>): Problem | null {
  const entries = Object.entries(headers)
  if (entries.length > CUSTOM_HEADERS_MAX) return problem(`may hold at most ${CUSTOM_HEADERS_MAX} headers, not ${entries.length}`)
  const seen = new Set<string>()
  for (const [name, value] of entries) {
    const found = problemOfName(name) ?? problemOfValue(name, value)
    if (found !== null) return found
    if (seen.has(name.toLowerCase())) return problem(`names ${quoted(name)} twice: upper and lower case are the same header`)
    seen.add(name.toLowerCase())
  }
  return null
}

/** More than any real message adds, and few enough to stay within a server's limit on headers. */
const CUSTOM_HEADERS_MAX = 50

/** RFC 5322, section 2.1.1, without the line break. */
const LINE_LENGTH_MAX = 998

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
  'return-path',
  'received',
  'dkim-signature',
  'mime-version',
])

const FORBIDDEN_PREFIXES = ['arc-', 'resent-', 'content-']

function problemOfName(name: string): Problem | null {
  if (!FIELD_NAME.test(name)) {
    return problem(`has the name ${quoted(name)}: a header's name is made of visible ASCII characters without spaces and colons`)
  }
  const lower = name.toLowerCase()
  const isForbidden = FORBIDDEN_NAMES.has(lower) || FORBIDDEN_PREFIXES.some((prefix) => lower.startsWith(prefix))
  return isForbidden ? problem(`may not set ${quoted(name)}: the service writes that header itself`) : null
}

function problemOfValue(name: string, value: string): Problem | null {
  if (CONTROL_CHARACTER.test(value)) return problem(`has a line break or another control character in the value of ${quoted(name)}`)
  if (`${name}: ${value}`.length > LINE_LENGTH_MAX) {
    return problem(`has a value of ${quoted(name)} that makes a line of more than ${LINE_LENGTH_MAX} characters`)
  }
  if (holdsEncodedWord(value)) {
    return problem(`has an encoded word (\`=?...?=\`) in the value of ${quoted(name)}: write it as it is to be read, in any script`)
  }
  return null
}

/** A name as part of a sentence: escaped, and cut to a length that the sentence has room for. */
const quoted = (name: string): string =>
  `\`${JSON.stringify(name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name).slice(1, -1)}\``
