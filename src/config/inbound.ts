// How mail comes in: where the SMTP servers listen, for whom, how much is taken, and whose reports are believed.

import { isProblem } from '../lib/problem.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { canonicalDomain, parseAddressAlone } from '../mail/addresses.ts'
import type { Variables } from './environment.ts'
import { addressRanges, dnsName, list, url, wrong } from './values.ts'

const MIB = 1024 * 1024

export function inbound(variables: Variables) {
  return {
    inboundHost: variables.INBOUND_HOST,
    inboundPort: variables.INBOUND_PORT,
    submissionHost: variables.SUBMISSION_HOST,
    /** Null: no mail is submitted there. */
    submissionPort: variables.SUBMISSION_PORT ?? null,
    submissionsPort: variables.SUBMISSIONS_PORT ?? null,
    inboundTrustProxy: addressRanges('INBOUND_TRUST_PROXY', variables.INBOUND_TRUST_PROXY),
    inboundTls: inboundTls(variables),
    /** Null: teams receive mail at their own domains only. */
    inboundDomain: variables.INBOUND_DOMAIN === undefined ? null : dnsName('INBOUND_DOMAIN', variables.INBOUND_DOMAIN),
    /** Null: no filter is asked. */
    inboundFilterUrl:
      variables.INBOUND_FILTER_URL === undefined
        ? null
        : url('INBOUND_FILTER_URL', variables.INBOUND_FILTER_URL, ['http:', 'https:', 'tcp:']).href,
    receivedPerMinute: variables.RECEIVED_PER_MINUTE,
    receivedBytesPerDay: variables.TEAM_RECEIVED_MB_PER_DAY * MIB,
    feedbackReporters: feedbackReporters(variables.COMPLAINT_REPORTERS),
  }
}

/** Null: a self-signed certificate. */
function inboundTls({ INBOUND_TLS_CERT: certFile, INBOUND_TLS_KEY: keyFile }: Variables): { certFile: string; keyFile: string } | null {
  if (certFile === undefined && keyFile === undefined) return null
  if (certFile === undefined || keyFile === undefined)
    throw new StartupProblem('INBOUND_TLS_CERT and INBOUND_TLS_KEY need each other: set both, or neither.')
  return { certFile, keyFile }
}

function feedbackReporters(value: string): readonly string[] {
  const reporters = list(value).map(feedbackReporter)
  return reporters.length > 0 ? reporters : KNOWN_REPORTERS
}

/** An address or a domain, both in lower case. */
function feedbackReporter(value: string): string {
  const address = value.includes('@') ? parseAddressAlone(value) : null
  const reporter = address === null ? canonicalDomain(value) : isProblem(address) ? address : address.address.toLowerCase()
  if (typeof reporter !== 'string')
    throw wrong('COMPLAINT_REPORTERS', 'domains such as fbl.example.com or addresses such as abuse@example.com, separated by commas', value)
  return reporter
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
