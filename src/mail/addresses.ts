// The only code that reads addresses, so that a policy judges the same address that the envelope and the headers have.
import { domainToASCII } from 'node:url'
import { isProblem, type Problem, problem } from '../lib/problem.ts'
import { holdsEncodedWord } from './header-text.ts'

/**
 * `name` is unquoted, and null if there is none. `local` is in its shortest valid form (`"a"@b.c` and `a@b.c` are one mailbox, and so are `a..b@c.d`,
 * which some providers gave out, and `"a..b"@c.d`, as RFC 5321 wants it written) and keeps its case.
 * `domain` is a lower-case A-label. `address` is the two with an `@`.
 */
export type Mailbox = { name: string | null; address: string; local: string; domain: string }

/**
 * Reads `a@b.c`, `Name <a@b.c>` or `"Quoted, name" <a@b.c>` (RFC 5322, section 3.4, without groups, comments and folding). Display names may be in
 * any script, domains may be U-labels or A-labels. Local parts are ASCII: others need SMTPUTF8 (RFC 6531) on every server on the way, so most such
 * messages would be accepted here only to bounce.
 */
export function parseMailbox(text: string): Mailbox | Problem {
  const unreadable = checkCharacters(text)
  if (unreadable !== null) return unreadable
  const parts = splitMailbox(text.trim())
  if (isProblem(parts)) return parts
  const nameProblem = parts.name === null ? null : checkDisplayName(parts.name)
  if (nameProblem !== null) return nameProblem
  const address = parseAddress(parts.address, EXPECTED)
  return isProblem(address) ? address : { name: parts.name, ...address }
}

/** The domain that an email is from. Empty if its stored sender can no longer be parsed, which building the message reports. */
export function senderDomain(from: string): string {
  const parsed = parseMailbox(from)
  return isProblem(parsed) ? '' : parsed.domain
}

/** Reads `a@b.c` by the same rules, for fields that hold an address without a name. */
export function parseAddressAlone(text: string): Omit<Mailbox, 'name'> | Problem {
  const unreadable = checkCharacters(text)
  if (unreadable !== null) return unreadable
  const trimmed = text.trim()
  if (trimmed.endsWith('>')) return problem(`must be an address alone, such as ${EXPECTED_ALONE}: names have fields of their own`)
  if (!trimmed.startsWith('"') && /[,;]/.test(trimmed)) return problem('must be one address, not several')
  return parseAddress(trimmed, EXPECTED_ALONE)
}

/** Decides whether two mailboxes are the same recipient: the domain as a lower-case A-label, the local part exactly. */
export const canonicalAddress = (mailbox: Mailbox): string => mailbox.address

/** The lower-case A-label of a domain that can have a name in the DNS of its owner and mail (RFC 5321, sections 2.3.5 and 4.1.2; RFC 5890). */
export const canonicalDomain = (text: string): string | Problem => checkedDomain(text, HOST_DOMAIN)

/** The lower-case A-label of the domain of an address. It may have underscores: the DNS allows them, and mail arrives there. */
export const mailDomain = (text: string): string | Problem => checkedDomain(text, MAIL_DOMAIN)

type DomainRule = { unknown: RegExp; label: RegExp; malformed: Problem }

function checkedDomain(text: string, { unknown, label, malformed }: DomainRule): string | Problem {
  if (text.startsWith('[')) return problem('must name a domain: an IP address in brackets is not accepted')
  // Checked before the conversion, which would read percent signs, slashes and numbers as URLs do.
  if (text.length > DOMAIN_OCTETS_MAX || unknown.test(text)) return malformed
  const isAscii = /^\p{ASCII}*$/u.test(text)
  const domain = isAscii && !/(?:^|\.)xn--/i.test(text) ? text.toLowerCase() : domainToASCII(text)
  if (domain.length > DOMAIN_OCTETS_MAX || !domain.split('.').every((part) => label.test(part))) return malformed
  if (!domain.includes('.')) return problem('must have a full domain such as `example.com`, not a host name alone')
  return /\.\d+$/.test(domain) ? problem('must name a domain: an IP address is not accepted') : domain
}

/** Labels of a domain as A-labels, if they are labels; a part of a domain may begin or end with a dot. Otherwise the text unchanged. */
export function labelsToAscii(text: string): string {
  if (/^\p{ASCII}*$/u.test(text) || NOT_IN_A_DOMAIN.test(text)) return text
  const labels = domainToASCII(text)
  // Digits of other scripts would become the numbers of an IP address, and no name has a label that is longer.
  const isName = labels !== '' && !/(?:^|\.)\d+$/.test(labels) && labels.split('.').every(({ length }) => length <= LABEL_LENGTH_MAX)
  return isName ? labels : text
}

/** RFC 1035, section 2.3.4. */
export const LABEL_LENGTH_MAX = 63

/** One line of a message (RFC 5322, section 2.1.1), which has room for the longest name and the longest address. */
const MAILBOX_LENGTH_MAX = 998

/** RFC 5321, section 4.5.3.1.1. */
const LOCAL_OCTETS_MAX = 64

/** The text form of the 255 octets that the DNS and RFC 5321, section 4.5.3.1.2 allow. */
const DOMAIN_OCTETS_MAX = 253

/** RFC 5321, section 4.5.3.1.3: 256 octets with the angle brackets. */
export const ADDRESS_OCTETS_MAX = 254

// Control characters, line separators, halves of characters, and characters that turn the direction of writing of what follows. Isolates (U+2066 to
// U+2069) turn nothing outside of what they enclose; phones write them around names.
const UNSAFE_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e]/u

const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

// A local part with dots at its ends or side by side is valid in quotes only.
const STRAY_DOTS = /^(?=\.|.*\.\.|.*\.$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/

const NOT_IN_A_DOMAIN = /[^\P{ASCII}A-Za-z0-9.-]/u

const HOST_DOMAIN: DomainRule = {
  unknown: NOT_IN_A_DOMAIN,
  label: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
  malformed: problem('has a domain that is not valid: it is made of letters, digits and hyphens, such as `example.com`'),
}

const MAIL_DOMAIN: DomainRule = {
  unknown: /[^\P{ASCII}A-Za-z0-9._-]/u,
  label: /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/,
  malformed: problem('has a domain that is not valid: it is made of letters, digits, hyphens and underscores, such as `example.com`'),
}

const EXPECTED_ALONE = '`name@example.com`'
const EXPECTED = `${EXPECTED_ALONE} or \`Name <name@example.com>\``
/** Some take the example alone for the only address that is allowed. */
const mustBe = (expected: string): string => `must be ${expected === EXPECTED_ALONE ? 'an address such as ' : ''}${expected}`

function checkCharacters(text: string): Problem | null {
  if (text.length > MAILBOX_LENGTH_MAX) return problem(`may not be longer than ${MAILBOX_LENGTH_MAX} characters`)
  return UNSAFE_CHARACTER.test(text) ? problem('may not hold line breaks or other control characters') : null
}

function splitMailbox(text: string): { name: string | null; address: string } | Problem {
  let name = ''
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at)
    const refusal = OUTSIDE_QUOTES[character]
    if (refusal !== undefined) return refusal
    if (character === '<') return text.endsWith('>') ? { name: name.trim() || null, address: text.slice(at + 1, -1).trim() } : NOT_CLOSED
    const quoted = character === '"' ? readQuoted(text, at) : { value: character, end: at + 1 }
    if (quoted === null) return OPEN_QUOTE
    // A quoted local part, as in `"a b"@example.com`, is not a display name.
    if (at === 0 && character === '"' && text[quoted.end] === '@') return { name: null, address: text }
    name += quoted.value
    at = quoted.end
  }
  return { name: null, address: text }
}

const OPEN_QUOTE = problem('has a double quote that is not closed')
const NOT_CLOSED = problem(`must be ${EXPECTED}, with nothing after the \`>\``)
const COMMENT = problem('has parentheses outside double quotes, which would be a comment: put such a display name in double quotes')
const SEVERAL = problem('must be one address, not several; put a display name that has a comma or semicolon in double quotes')
const GROUP = problem(
  'has a colon outside double quotes, which would be a group: give one address, and put such a display name in double quotes',
)

const OUTSIDE_QUOTES: Readonly<Record<string, Problem>> = { '(': COMMENT, ')': COMMENT, ',': SEVERAL, ';': SEVERAL, ':': GROUP }

/** Reads a quoted string (RFC 5322, section 3.2.4) that opens at `start`; `end` is the index after it. Null if it does not close. */
function readQuoted(text: string, start: number): { value: string; end: number } | null {
  let value = ''
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return { value, end: at + 1 }
    if (text[at] === '\\') at += 1
    value += text.charAt(at)
  }
  return null
}

/** A name that is an address is common. It may not hold angle brackets, in which readers look for the address, nor say something else once decoded. */
function checkDisplayName(name: string): Problem | null {
  if (name.length > NAME_LENGTH_MAX) return problem(`has a display name of more than ${NAME_LENGTH_MAX} characters`)
  // Compatibility forms, such as a full-width `<`, look the same to a reader.
  const shown = name.normalize('NFKC')
  if (/[<>]/.test(shown))
    return problem('has a display name with `<` or `>`: give one address in angle brackets, and leave them out of the name')
  return holdsEncodedWord(shown) ? problem('has an encoded display name: write the name unencoded, in any script') : null
}

const NAME_LENGTH_MAX = 256

function parseAddress(text: string, expected: string): Omit<Mailbox, 'name'> | Problem {
  if (text === '') return problem(`must hold an address: ${expected}`)
  const quoted = text.startsWith('"') ? readQuoted(text, 0) : null
  if (quoted === null && text.startsWith('"')) return OPEN_QUOTE
  const at = quoted === null ? text.indexOf('@') : quoted.end
  if (text[at] !== '@') return problem(mustBe(expected))
  const given = text.slice(0, at)
  const local = quoted !== null ? shortestLocal(quoted.value) : STRAY_DOTS.test(given) ? `"${given}"` : given
  const localProblem = checkLocal(local, expected)
  if (localProblem !== null) return localProblem
  const domain = mailDomain(text.slice(at + 1))
  if (typeof domain !== 'string') return domain
  const address = `${local}@${domain}`
  return address.length > ADDRESS_OCTETS_MAX
    ? problem(`has an address of more than ${ADDRESS_OCTETS_MAX} characters`)
    : { address, local, domain }
}

const shortestLocal = (value: string): string => (DOT_ATOM.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`)

function checkLocal(local: string, expected: string): Problem | null {
  if (local.length > LOCAL_OCTETS_MAX) return problem(`has more than ${LOCAL_OCTETS_MAX} characters before the \`@\``)
  if (!/^\p{ASCII}*$/u.test(local))
    return problem('has characters before the `@` that are not ASCII: most mail servers do not take such an address')
  // Such a local part is a valid atom, but some servers decode it into another address.
  if (holdsEncodedWord(local)) return problem('has an encoded word (`=?...?=`) before the `@`')
  return DOT_ATOM.test(local) || local.startsWith('"') ? null : problem(`${mustBe(expected)}; the part before the \`@\` is not valid`)
}
