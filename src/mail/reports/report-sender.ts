// Who sent a report, as its head says, and whose signatures could prove it.
import { canonicalDomain } from '../addresses.ts'
import { registrableDomain } from '../domains/domain-names.ts'
import { bareAddress } from './addresses-in-reports.ts'
import { allOf, type Fields } from './fields.ts'

export type ReportSender = {
  /** In lower case; null unless exactly one field names a sender. */
  address: string | null
  /** Only signatures whose domain belongs to the same organization as that of the address. */
  signers: Signer[]
}

/** Where the DNS has the key of a signature. */
export type Signer = { domain: string; selector: string }

export function senderOf(root: Fields): ReportSender {
  const [from, ...others] = allOf(root, 'from')
  const address = from === undefined || others.length > 0 ? null : (bareAddress(from)?.toLowerCase() ?? null)
  const signatures = allOf(root, 'dkim-signature')
  // Each costs a hash of the whole body.
  if (address === null || signatures.length > SIGNATURES_MAX) return { address, signers: [] }
  const aligned = signatures.flatMap((signature) => signerOf(signature) ?? []).filter(({ domain }) => isAligned(domain, domainOf(address)))
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

function signerOf(signature: string): Signer | null {
  const tags = new Map(signature.split(';', TAGS_MAX).map((tag) => tagOf(tag)))
  const domain = canonicalDomain(tags.get('d') ?? '')
  const selector = tags.get('s')?.toLowerCase() ?? ''
  return typeof domain === 'string' && SELECTOR.test(selector) ? { domain, selector } : null
}

const TAGS_MAX = 30

const SELECTOR = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,4}$/

function tagOf(text: string): [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()]
}
