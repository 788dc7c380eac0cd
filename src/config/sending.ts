// How mail leaves (straight to the servers of its recipients, through a relay, or not at all), and what is tracked of it.

import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { type LimitOverride, parseLimitOverrides } from '../io/smtp/client/destination-limits.ts'
import { isLoopback } from '../lib/peer-addresses.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import type { Variables } from './environment.ts'
import { list, url, wrong } from './values.ts'

export function deliveryMode(variables: Variables): DeliveryMode {
  const delivery = variables.DELIVERY ?? (variables.SMTP_RELAY_URL ? 'relay' : 'capture')
  if (delivery === 'direct') refuseUnfitForDirect(variables)
  if (delivery === 'relay' && !variables.SMTP_RELAY_URL)
    throw new StartupProblem('DELIVERY=relay needs SMTP_RELAY_URL, for example smtp://user:password@mail.example.com:587.')
  return delivery
}

/** Other people's servers see these names. */
function refuseUnfitForDirect({ MAIL_HOSTNAME: hostname, PUBLIC_URL: publicUrl }: Variables): void {
  if (hostname === 'localhost')
    throw new StartupProblem('DELIVERY=direct needs MAIL_HOSTNAME: the public name of this machine, which its address must resolve to.')
  if (publicUrl === undefined || isLoopback(url('PUBLIC_URL', publicUrl, ['http:', 'https:']).hostname))
    throw new StartupProblem('DELIVERY=direct needs PUBLIC_URL: the address under which recipients reach this service.')
}

export function sending(variables: Variables, delivery: DeliveryMode) {
  return {
    delivery,
    senderPolicy: variables.SENDER_POLICY ?? (delivery === 'direct' ? ('verified' as const) : ('any' as const)),
    returnPath: variables.RETURN_PATH ?? (delivery === 'direct' ? ('own' as const) : ('from' as const)),
    smtpRelayUrl: variables.SMTP_RELAY_URL === undefined ? null : url('SMTP_RELAY_URL', variables.SMTP_RELAY_URL, ['smtp:', 'smtps:']).href,
    smtpRelayConnections: variables.SMTP_RELAY_CONNECTIONS,
    dnsServers: dnsServers(variables.DNS_SERVERS),
    destinationLimits: destinationLimits(variables.DESTINATION_LIMITS),
    /** `mode` null: what each team has. */
    guard: {
      mode: variables.GUARD ?? null,
      thresholds: { bouncesPercent: variables.GUARD_BOUNCES_PERCENT, complaintsPercent: variables.GUARD_COMPLAINTS_PERCENT },
    },
    softBounces: { bounces: variables.SUPPRESS_AFTER_SOFT_BOUNCES, days: variables.SUPPRESS_AFTER_SOFT_BOUNCE_DAYS },
  }
}

function dnsServers(value: string): string[] {
  const servers = list(value)
  const wrongOne = servers.find((server) => !ipaddr.isValid(withoutPort(server)))
  if (wrongOne !== undefined) throw wrong('DNS_SERVERS', 'addresses such as 192.0.2.53 or 192.0.2.53:5353, separated by commas', wrongOne)
  return servers
}

/** `192.0.2.53:5353` and `[2001:db8::53]:5353`; a bare IPv6 address has no port. */
const withoutPort = (server: string): string => server.replace(/^\[(.*)\](:\d{1,5})?$/, '$1').replace(/^([\d.]+):\d{1,5}$/, '$1')

function destinationLimits(value: string): LimitOverride[] {
  const parsed = parseLimitOverrides(value)
  if ('problem' in parsed) throw new StartupProblem(`DESTINATION_LIMITS: ${parsed.problem}.`)
  return parsed.overrides
}

// What is tracked of opens and clicks, and the listener that answers tracked links over TLS.

export function tracking(variables: Variables) {
  return {
    /** Applies to mail from senders whose domain the team does not have. */
    byDefault: trackedByDefault(variables.TRACKING_DEFAULT),
    storesAddresses: variables.TRACKING_STORE_IP === 'true',
    hasHoneypot: variables.TRACKING_HONEYPOT === 'true',
    /** Null: a proxy before the API has the certificates of tracking hosts. */
    tls: trackingTls(variables),
  }
}

function trackedByDefault(value: string): { opens: boolean; clicks: boolean } {
  const names = list(value)
  if (names.some((name) => name !== 'opens' && name !== 'clicks'))
    throw wrong('TRACKING_DEFAULT', 'opens, clicks, or both, separated by a comma', value)
  return { opens: names.includes('opens'), clicks: names.includes('clicks') }
}

function trackingTls(variables: Variables): { certFile: string; keyFile: string; host: string; port: number } | null {
  const { TRACKING_TLS_CERT: cert, TRACKING_TLS_KEY: key, TRACKING_TLS_HOST: host, TRACKING_TLS_PORT: port } = variables
  if (cert === undefined && key === undefined) return null
  if (cert === undefined || key === undefined)
    throw new StartupProblem('TRACKING_TLS_CERT and TRACKING_TLS_KEY need each other: set both, or neither.')
  return { certFile: resolve(cert), keyFile: resolve(key), host, port }
}

export const DELIVERY_MODES = ['capture', 'relay', 'direct'] as const
export type DeliveryMode = (typeof DELIVERY_MODES)[number]
