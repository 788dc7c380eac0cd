// The names under which domains are registered here.
import { parse } from 'tldts'
import { type Problem, problem } from '../lib/problem.ts'
import { canonicalDomain, LABEL_LENGTH_MAX } from './addresses.ts'

/** `name` is in lower case and A-labels. `root` is the part of it that was registered: `example.co.uk` of mail.example.co.uk. */
export type DomainName = { name: string; root: string }

/** @param refusedNames names of this server itself, as `canonicalDomain` gives them. */
export function parseDomainName(text: string, { refusedNames = [] }: { refusedNames?: readonly string[] } = {}): DomainName | Problem {
  const trimmed = text.slice(0, TEXT_LENGTH_MAX + 1).trim()
  const name = trimmed.endsWith('.') ? trimmed.slice(0, -1) : trimmed
  const mistake = commonMistake(name)
  if (mistake !== null) return mistake
  const canonical = canonicalDomain(name)
  if (typeof canonical !== 'string') return canonical
  if (refusedNames.includes(canonical)) return problem('must be a domain of your own: this is a name of this server')
  const root = registrableDomain(canonical)
  return root === null
    ? problem('must be a registered domain, such as `example.com`, not a public suffix such as `co.uk`')
    : { name: canonical, root }
}

/** The text form of the 255 octets that the DNS allows (RFC 1035, section 2.3.4). */
const NAME_LENGTH_MAX = 253

/** Leaves room for a dot at the end and spaces around it. */
const TEXT_LENGTH_MAX = 2 * NAME_LENGTH_MAX

function commonMistake(name: string): Problem | null {
  if (name === '') return problem('must name a domain, such as `example.com`')
  if (name.includes('@')) return problem('must be a domain alone, such as `example.com`, not an email address')
  if (name.includes('*')) return problem('must name one domain, such as `example.com`: a wildcard is not accepted')
  if (name.includes(':') && /^[[\]\da-f:.]+$/i.test(name)) return problem('must name a domain: an IP address is not accepted')
  if (/[/:?#]/.test(name)) return problem('must be a domain alone, such as `example.com`, without a scheme, a port or a path')
  return name.length > NAME_LENGTH_MAX ? problem(`may not be longer than ${NAME_LENGTH_MAX} characters`) : null
}

/** Null if it is a public suffix. Hosting services let strangers register under names of theirs as registries do, so both kinds of suffixes count. */
export const registrableDomain = (name: string): string | null =>
  parse(name, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }).domain

/** One label of a host name, in lower case (RFC 1123, section 2.1). */
export function parseHostLabel(text: string): string | Problem {
  const label = text.trim().toLowerCase()
  if (label.length > LABEL_LENGTH_MAX) return problem(`may not be longer than ${LABEL_LENGTH_MAX} characters`)
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label)
    ? label
    : problem('must be one label of a host name, such as `links`: letters, digits and hyphens, with no hyphen at either end')
}
