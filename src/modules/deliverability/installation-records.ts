// The DNS records that an operator publishes for the hosts of this installation. Those of domains are in modules/domains/records/wanted-records.ts.
import { createHash } from 'node:crypto'
import { isLoopback } from '../../lib/peer-addresses.ts'
import { parseDomainName } from '../../mail/domain-names.ts'
import { isAddress, isIpv6, reverseName } from './findings.ts'

export type InstallationRecord = {
  type: 'A' | 'AAAA' | 'PTR' | 'TXT' | 'CNAME'
  /** The whole name, without a dot at the end. */
  host: string
  /** For a PTR record: the address, which is what forms of providers ask for. */
  address?: string
  /** Null if the configuration does not tell; `unset` then does. */
  value: string | null
  need: 'needed' | 'recommended' | 'optional'
  /** What it is for. */
  purpose: string
}

export type InstallationRecords = {
  records: InstallationRecord[]
  /** A sentence for each thing that is not set, with what to set. */
  unset: string[]
  /** What has to be known beside the records. */
  notes: string[]
}

export type InstallationSettings = {
  mailHostname: string
  /** Null if they are not set. */
  sendingAddresses: readonly string[] | null
  spfInclude: string | null
  trackingHost: string
  /** Null if it is not set. */
  publicUrl: string | null
}

export function installationRecords(settings: InstallationSettings): InstallationRecords {
  const { mailHostname, sendingAddresses, publicUrl } = settings
  const hasName = mailHostname !== 'localhost'
  const hasPublicUrl = publicUrl !== null && !isLoopback(new URL(publicUrl).hostname)
  return {
    records: [
      ...(hasName ? hostRecords(settings) : []),
      ...spfRecords(settings),
      ...webRecords(settings),
      ...(hasName ? policyRecords(settings) : []),
    ],
    unset: [
      ...(hasName ? [] : ['MAIL_HOSTNAME is not set: set it to the public name of this server, such as mail.example.com.']),
      ...(sendingAddresses ? [] : ['SENDING_IPS is not set: set it to the public addresses from which mail leaves.']),
      ...(hasPublicUrl
        ? []
        : [`PUBLIC_URL is ${publicUrl ?? 'not set'}: set it to the https address under which recipients reach this service.`]),
    ],
    notes: [
      ...(hasName
        ? [`Other servers deliver bounces to port 25 of ${mailHostname}: forward it to the SMTP server (INBOUND_HOST, INBOUND_PORT).`]
        : []),
      'Each domain has records of its own, such as MX and SPF of its return path host: GET /domains/{id} shows them.',
      ...spfNotes(settings),
      ...(hasName
        ? [`The MTA-STS policy has to be served at https://mta-sts.${mailHostname}/.well-known/mta-sts.txt, by a web server of yours.`]
        : []),
    ],
  }
}

function hostRecords({ mailHostname, sendingAddresses }: InstallationSettings): InstallationRecord[] {
  const name = {
    host: mailHostname,
    need: 'needed',
    purpose: 'the name in EHLO, and where bounces go',
  } as const
  if (sendingAddresses === null) return [{ ...name, type: 'A', value: null }]
  return [
    ...sendingAddresses.map((address) => ({ ...name, type: isIpv6(address) ? ('AAAA' as const) : ('A' as const), value: address })),
    ...sendingAddresses.map((address) => ({
      type: 'PTR' as const,
      host: reverseName(address),
      address,
      value: mailHostname,
      need: 'needed' as const,
      purpose: 'the name of the address, which its provider sets',
    })),
  ]
}

/** The host that SPF_INCLUDE names is the owner's own if it is under the same registered domain as the mail server. */
const isOwnHost = (host: string, mailHostname: string): boolean => rootOf(host) !== null && rootOf(host) === rootOf(mailHostname)

function rootOf(host: string): string | null {
  const name = parseDomainName(host.replace(/^_/, ''))
  return 'root' in name ? name.root : null
}

function spfRecords({ mailHostname, sendingAddresses, spfInclude }: InstallationSettings): InstallationRecord[] {
  if (spfInclude === null || !isOwnHost(spfInclude, mailHostname)) return []
  const terms = sendingAddresses?.map((address) => `${isIpv6(address) ? 'ip6' : 'ip4'}:${address}`)
  return [
    {
      type: 'TXT',
      host: spfInclude,
      value: terms === undefined ? null : `v=spf1 ${terms.join(' ')} -all`,
      need: 'needed',
      purpose: 'the addresses that the SPF record of every domain includes',
    },
  ]
}

function spfNotes({ mailHostname, spfInclude }: InstallationSettings): string[] {
  if (spfInclude === null)
    return ['SPF_INCLUDE is not set: the SPF record of every domain names the senders itself, and changes whenever they change.']
  return isOwnHost(spfInclude, mailHostname) ? [] : [`${spfInclude} (SPF_INCLUDE) belongs to someone else, who publishes its SPF record.`]
}

function webRecords({ mailHostname, trackingHost, publicUrl }: InstallationSettings): InstallationRecord[] {
  const host = publicUrl === null ? 'localhost' : new URL(publicUrl).hostname
  if (isLoopback(host)) return []
  const web = {
    type: 'A',
    host,
    value: null,
    need: 'needed',
    purpose: 'the web server of PUBLIC_URL, or the proxy in front of it',
  } as const
  const tracking = {
    type: 'CNAME',
    host: trackingHost,
    value: host,
    need: 'needed',
    purpose: 'where tracking hosts of domains lead',
  } as const
  return [...(host === mailHostname || isAddress(host.replace(/^\[|\]$/g, '')) ? [] : [web]), ...(trackingHost === host ? [] : [tracking])]
}

function policyRecords({ mailHostname }: InstallationSettings): InstallationRecord[] {
  const text = { type: 'TXT' } as const
  return [
    { ...text, host: mailHostname, value: 'v=spf1 a -all', need: 'recommended', purpose: 'SPF of the name in EHLO' },
    {
      ...text,
      host: `_dmarc.${mailHostname}`,
      value: 'v=DMARC1; p=reject;',
      need: 'recommended',
      purpose: 'no mail is from this name itself',
    },
    {
      ...text,
      host: `_smtp._tls.${mailHostname}`,
      value: `v=TLSRPTv1; rua=mailto:postmaster@${rootOf(mailHostname) ?? mailHostname}`,
      need: 'optional',
      purpose: 'where others report failures of TLS to this server',
    },
    {
      ...text,
      host: `_mta-sts.${mailHostname}`,
      value: `v=STSv1; id=${policyId(mailHostname)}`,
      need: 'optional',
      purpose: 'others insist on TLS to this server; publish it after the policy',
    },
  ]
}

/** What a web server has to serve (RFC 8461, section 3.2), at `/.well-known/mta-sts.txt` of the name `mta-sts` under the host. */
export const mtaStsPolicy = (mailHostname: string): string =>
  ['version: STSv1', 'mode: testing', `mx: ${mailHostname}`, 'max_age: 86400'].join('\n')

/** Another policy needs another id. */
const policyId = (mailHostname: string): string => createHash('sha256').update(mtaStsPolicy(mailHostname)).digest('hex').slice(0, 16)

// Records as a DNS server reads them (RFC 1035, section 5).
