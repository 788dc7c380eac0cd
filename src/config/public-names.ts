// The names and addresses by which other people's servers know this installation, and what `doctor` asks about them.
import ipaddr from 'ipaddr.js'
import { isProblem } from '../lib/problem.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { canonicalDomain, type Mailbox, parseMailbox } from '../mail/addresses.ts'
import { parseHostLabel } from '../mail/domain-names.ts'
import type { Installation } from '../mail/record-types.ts'
import type { Variables } from './environment.ts'
import { dnsName, list, wrong } from './values.ts'

/** Their defaults suit one machine, and are wrong where a gateway has the public address. */
const UNSET_HOSTS = ['SENDING_IPS', 'TRACKING_HOST'] as const

export function publicNames(variables: Variables) {
  return {
    mailHostname: mailHostname(variables.MAIL_HOSTNAME),
    installation: installation(variables),
    /** The sender of mail of the installation. */
    accountFrom: accountFrom(variables),
    /** Which variables of these were left unset. */
    unsetHosts: UNSET_HOSTS.filter((name) => variables[name] === undefined || variables[name] === ''),
    /** Null: those of MAIL_HOSTNAME. */
    sendingAddresses: list(variables.SENDING_IPS).length === 0 ? null : sendingAddresses(variables.SENDING_IPS),
    spfInclude: variables.SPF_INCLUDE === undefined ? null : spfInclude(variables.SPF_INCLUDE),
    blocklists: blocklists(variables.DNSBL_ZONES),
    probeDomain: dnsName('PROBE_DOMAIN', variables.PROBE_DOMAIN),
  }
}

function installation(variables: Variables): Installation {
  const hostname = mailHostname(variables.MAIL_HOSTNAME)
  const terms = sendingAddresses(variables.SENDING_IPS).map(
    (address) => `${ipaddr.parse(address).kind() === 'ipv4' ? 'ip4' : 'ip6'}:${address}`,
  )
  const { SPF_INCLUDE: include, TRACKING_HOST: trackingHost, PUBLIC_URL: publicUrl } = variables
  return {
    mailHostname: hostname,
    spfTerms: include !== undefined ? [`include:${spfInclude(include)}`] : terms.length > 0 ? terms : [`a:${hostname}`],
    trackingHost:
      trackingHost !== undefined
        ? dnsName('TRACKING_HOST', trackingHost)
        : publicUrl === undefined
          ? 'localhost'
          : new URL(publicUrl).hostname,
    certificateAuthority: dnsName('CERTIFICATE_AUTHORITY', variables.CERTIFICATE_AUTHORITY),
    dkimSelector: dkimSelector(variables.DKIM_SELECTOR),
  }
}

/** The name is used in EHLO, where only a domain is valid (RFC 5321, section 4.1.1.1). */
function mailHostname(value: string): string {
  const hostname = value.toLowerCase() === 'localhost' ? 'localhost' : canonicalDomain(value)
  if (typeof hostname !== 'string') throw wrong('MAIL_HOSTNAME', 'localhost or a full domain such as mail.example.com', value)
  return hostname
}

function accountFrom({ ACCOUNT_FROM: given, MAIL_HOSTNAME: hostname }: Variables): Mailbox {
  const domain = mailHostname(hostname)
  if (given === undefined) return { name: 'Posthaste', address: `posthaste@${domain}`, local: 'posthaste', domain }
  const parsed = parseMailbox(given)
  if (isProblem(parsed)) throw wrong('ACCOUNT_FROM', 'an address such as posthaste@example.com or Posthaste <posthaste@example.com>', given)
  return parsed
}

function sendingAddresses(value: string): string[] {
  const addresses = list(value)
  const wrongOne = addresses.find((address) => !ipaddr.isValid(address))
  if (wrongOne !== undefined) throw wrong('SENDING_IPS', 'addresses such as 192.0.2.25 or 2001:db8::25, separated by commas', wrongOne)
  return addresses
}

/** Many are called _spf, which is a name in the DNS and not of a host (RFC 8552). */
function spfInclude(value: string): string {
  const name = canonicalDomain(value.replace(/^_(?=[a-z\d])/i, ''))
  if (typeof name !== 'string') throw wrong('SPF_INCLUDE', 'a name in the DNS such as _spf.example.com', value)
  return value.startsWith('_') ? `_${name}` : name
}

function dkimSelector(value: string): string {
  const label = parseHostLabel(value)
  if (typeof label !== 'string') throw wrong('DKIM_SELECTOR', 'one label of a host name, such as ph1 or resend', value)
  return label
}

/** Each is asked about every address. */
const BLOCKLISTS_MAX = 20

function blocklists(value: string): string[] {
  const zones = list(value)
  if (zones.length > BLOCKLISTS_MAX)
    throw new StartupProblem(`DNSBL_ZONES may name ${BLOCKLISTS_MAX} lists at most; it names ${zones.length}.`)
  return zones.map((zone) => dnsName('DNSBL_ZONES', zone, 'host names such as zen.spamhaus.org, separated by commas'))
}
