// Who sent a report, as its head says, and whose signatures could prove it.
import { canonicalDomain } from '../../../mail/addresses.ts'
import { registrableDomain } from '../../../mail/domain-names.ts'
import { allOf, type Fields } from '../../../mail/mime-fields.ts'

// Addresses as reports write them. They are compared with addresses that were checked long ago, so that these need not be strict.

/**
 * The address of a field such as `rfc822; <a@example.com>` (RFC 3464, section 2.3), `a+2Btag@example.com` in xtext (RFC 3461, section 4), or
 * `Name <a@example.com>`. Null if it holds none.
 */
export function addressOfField(value: string): string | null {
  const semicolon = value.indexOf(';')
  const type = semicolon === -1 ? '' : value.slice(0, semicolon).trim().toLowerCase()
  const text = /^[a-z0-9-]{1,40}$/.test(type) ? value.slice(semicolon + 1) : value
  return bareAddress(text)
}

/** The first address of a text, without the marks around it. */
export function bareAddress(text: string): string | null {
  for (const word of text.slice(0, TEXT_LENGTH_MAX).split(SEPARATORS)) {
    const address = word.replace(LEADING_MARKS, '').replace(/^mailto:/i, '')
    const trimmed = trimEnd(address)
    if (ADDRESS.test(trimmed)) return trimmed
  }
  return null
}

/** RFC 3461, section 4. Only what can be nothing else: `+` is common in addresses. */
export const fromXtext = (address: string): string =>
  address.replace(/\+(2B|3D|20|22|2C|3A|3B)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const TEXT_LENGTH_MAX = 4096

const SEPARATORS =
  /[\s<>()[\]"`,;:|\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff0f\uff1a-\uff1f\u2018-\u201f«»]/u

const LEADING_MARKS = /^['.*=#-]{1,8}/

const ADDRESS = /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){0,20}$/u

function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && ".!?*=-'".includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

export type ReportSender = {
  /** In lower case; null unless exactly one field names a sender. */
  address: string | null
  /** Only signatures whose domain belongs to the same organization as that of the address. */
  signers: Signer[]
}

/** Where the DNS has the key of a signature. */
export type Signer = { domain: string; selector: string }

export function readSender(root: Fields): ReportSender {
  const [from, ...others] = allOf(root, 'from')
  const address = from === undefined || others.length > 0 ? null : (bareAddress(from)?.toLowerCase() ?? null)
  const signatures = allOf(root, 'dkim-signature')
  // Each costs a hash of the whole body.
  if (address === null || signatures.length > SIGNATURES_MAX) return { address, signers: [] }
  const aligned = signatures
    .flatMap((signature) => parseSigner(signature) ?? [])
    .filter(({ domain }) => isAligned(domain, domainOf(address)))
  return { address, signers: aligned.slice(0, SIGNERS_MAX) }
}

/** Whether mail from the one domain may speak for the other: it is the same or a parent of it, in one organization. */
export const speaksFor = (one: string, other: string): boolean => isWithin(other, one) && isAligned(one, other)

export const isWithin = (name: string, parent: string): boolean => name === parent || name.endsWith(`.${parent}`)

/** Whether two names belong to one organization (RFC 7489, section 3.2). */
export function isAligned(one: string, other: string): boolean {
  const root = registrableDomain(one)
  return root !== null && root === registrableDomain(other)
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

export const keyNameOf = ({ domain, selector }: Signer): string => `${selector}._domainkey.${domain}`

/** Honest mail has one to three. */
const SIGNATURES_MAX = 10

/** Keys that are looked up. */
const SIGNERS_MAX = 3

function parseSigner(signature: string): Signer | null {
  const tags = new Map(signature.split(';', TAGS_MAX).map((tag) => parseTag(tag)))
  const domain = canonicalDomain(tags.get('d') ?? '')
  const selector = tags.get('s')?.toLowerCase() ?? ''
  return typeof domain === 'string' && SELECTOR.test(selector) ? { domain, selector } : null
}

const TAGS_MAX = 30

const SELECTOR = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,4}$/

function parseTag(text: string): [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()]
}

// Who may report mail as spam on behalf of a recipient, once a signature has proven who they are.

/**
 * The recipient; the provider of the recipient, under a name that it gives to no user; and those whom the operator trusts.
 *
 * @param from address of the sender, in lower case
 * @param reporters addresses, and domains that stand for their subdomains too
 */
export function mayReport(from: string, recipient: string, reporters: readonly string[]): boolean {
  if (from === recipient.toLowerCase() || reporters.some((reporter) => isFrom(from, reporter))) return true
  return PROVIDER_NAMES.has(from.slice(0, from.lastIndexOf('@'))) && speaksFor(domainOf(from), domainOf(recipient).toLowerCase())
}

/**
 * Whose signature proves that a report is from its sender: the sender's domain, or a parent of it. Users of a large provider write under the parents
 * of its feedback loop, so that of a listed domain only itself and what is below it counts.
 *
 * @param domain of the signature, in lower case
 */
export function maySign(domain: string, from: string, reporters: readonly string[]): boolean {
  if (domain === domainOf(from)) return true
  const listed = reporters.filter((reporter) => isFrom(from, reporter))
  return listed.length === 0
    ? speaksFor(domain, domainOf(from))
    : listed.some((reporter) => !reporter.includes('@') && isWithin(domain, reporter))
}

const isFrom = (from: string, reporter: string): boolean =>
  reporter.includes('@') ? from === reporter : isWithin(domainOf(from), reporter)

/**
 * RFC 2142, section 4: no provider gives these to a user, and none returns mail under them. Under any other, such as fbl@, a user could complain in
 * the name of another; postmaster@ and mailer-daemon@ sign what anyone sent to a mailbox that does not exist.
 */
const PROVIDER_NAMES: ReadonlySet<string> = new Set(['abuse', 'noc', 'security'])
