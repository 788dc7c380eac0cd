// Who may report mail as spam on behalf of a recipient, once a signature has proven who they are.
import { domainOf, isWithin, speaksFor } from './report-sender.ts'

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
  reporter.includes('@') ? from === reporter : isWithin(domainOf(from), reporter)

/**
 * RFC 2142, section 4: no provider gives these to a user, and none returns mail under them. Under any other, such as fbl@, a user could complain in
 * the name of another; postmaster@ and mailer-daemon@ sign what anyone sent to a mailbox that does not exist.
 */
const PROVIDER_NAMES: ReadonlySet<string> = new Set(['abuse', 'noc', 'security'])
