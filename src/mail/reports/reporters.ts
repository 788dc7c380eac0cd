// Who may report mail as spam on behalf of a recipient, once a signature has proven who they are.
import { domainOf, isAligned } from './report-sender.ts'

/**
 * The recipient; the provider of the recipient, under a name that it gives to no user; and those whom the operator trusts.
 *
 * @param from address of the sender, in lower case
 * @param reporters addresses, and domains that stand for their subdomains too
 */
export function mayReport(from: string, recipient: string, reporters: readonly string[]): boolean {
  if (from === recipient.toLowerCase() || reporters.some((reporter) => isFrom(from, reporter))) return true
  return isAligned(domainOf(from), domainOf(recipient)) && PROVIDER_NAMES.has(from.slice(0, from.lastIndexOf('@')))
}

/**
 * Feedback loops, by names under which no user of a provider can write: Yahoo and AOL; those that Validity runs for Comcast, Yandex and others;
 * hosts that other providers have used; Microsoft.
 */
export const KNOWN_REPORTERS: readonly string[] = [
  'arf.mail.yahoo.com',
  'senderscore.net',
  'fbl.apps.rackspace.com',
  'fbl.cox.net',
  'fbl.fastmail.com',
  'fbl.hostedemail.com',
  'fbl.synacor.com',
  'fbl.zoho.com',
  'staff@hotmail.com',
]

const isFrom = (from: string, reporter: string): boolean =>
  reporter.includes('@') ? from === reporter : domainOf(from) === reporter || domainOf(from).endsWith(`.${reporter}`)

/** RFC 2142, and names that feedback loops use. Under any other, one user of a provider could complain in the name of another. */
const PROVIDER_NAMES: ReadonlySet<string> = new Set([
  'abuse',
  'arf',
  'complaints',
  'fbl',
  'feedback',
  'feedback-loop',
  'feedbackloop',
  'mailer-daemon',
  'postmaster',
  'security',
])
