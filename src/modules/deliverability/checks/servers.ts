import { DAY_MS } from '../../../lib/clock.ts'
import type { RecordAnswer } from '../../../mail/record-types.ts'
import { about, type Finding } from '../findings.ts'
import type { Greeting, HttpsAnswer, RelayAnswer } from '../probes.client.ts'
import { answerReason, RESOLVERS } from './hosts.ts'

/** Certificates are renewed a month before they expire, so something is wrong by then. */
const DAYS_LEFT_MIN = 14

/**
 * Judges the certificate of the web server that answers for a host.
 * @param answer that of the DNS if no address was found.
 */
export function checkCertificate(host: string, answer: HttpsAnswer | RecordAnswer, now: Date): Finding {
  const { ok, warning, problem, unknown } = about('certificate', host)
  if (answer.kind === 'unanswered') return unknown(`Its addresses could not be looked up: ${answer.reason}.`, RESOLVERS)
  if (answer.kind === 'absent' || answer.kind === 'records')
    return problem('It has no address in the DNS, so no link in an email opens.', 'Publish the records that `posthaste dns` shows.')
  if (answer.kind === 'unreached')
    return warning(
      `It cannot be reached from this machine: ${answer.reason}.`,
      'Open a link from another network; if it fails, start the web server of PUBLIC_URL or open its port.',
    )
  const { fault, validTo } = answer
  if (fault !== null) return problem(...explainFault(fault))
  if (validTo === null) return problem('It presents no certificate.', 'Give the server at PUBLIC_URL a certificate.')
  const day = validTo.toISOString().slice(0, 10)
  const daysLeft = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS)
  if (daysLeft < 0) return problem(`Its certificate expired on ${day}.`, 'Renew it.')
  if (daysLeft < DAYS_LEFT_MIN)
    return warning(
      `Its certificate expires on ${day}, in ${daysLeft === 1 ? 'a day' : `${daysLeft} days`}.`,
      'Renew it, and find out why it was not renewed automatically.',
    )
  return ok(`Its certificate is trusted, and valid until ${day}.`)
}

/** The finding for a service whose PUBLIC_URL is not https. */
export const checkClearWeb = (host: string): Finding =>
  about('certificate', host).warning(
    'PUBLIC_URL is http, so links in emails open without TLS, and one-click unsubscribing does not work (RFC 8058).',
    'Put a proxy with a certificate in front of the service, and set PUBLIC_URL to its https address.',
  )

/** `code` is one of OpenSSL's or Node's. */
function explainFault(code: string): [found: string, advice: string] {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return ['Its certificate has expired.', 'Renew it.']
    case 'CERT_NOT_YET_VALID':
      return ['Its certificate is not valid yet.', 'Set the clock of this machine, or get a certificate that is valid now.']
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return ['Its certificate is for other names.', 'Get a certificate that names the host of PUBLIC_URL.']
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return [
        'Its chain of certificates is incomplete, or ends at an authority that this machine does not know.',
        'Install the certificate together with the intermediate ones (often called fullchain).',
      ]
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return [
        'Its certificate is signed by itself or by an unknown authority.',
        'Get one from a public authority, such as Let\u2019s Encrypt.',
      ]
    default:
      return [`Its certificate is not trusted (${code}).`, 'Get one from a public authority, such as Let\u2019s Encrypt.']
  }
}

// Whether mail can leave and come back: what the servers of a large provider answered on port 25, or the relay.

/** The hosts of an MX answer, the preferred ones first. A null MX (RFC 7505) names none. */
export const mailHosts = (answer: RecordAnswer): string[] =>
  answer.kind === 'records' ? answer.values.map((value) => value.slice(value.indexOf(' ') + 1)).filter((host) => host !== '.') : []

/** @param servers the answer for the MX records, or for the addresses of their hosts, if there is no server to ask. */
export function checkMailPort(domain: string, greetings: readonly Greeting[], servers: RecordAnswer): Finding {
  const { ok, warning, problem, unknown } = about('port-25', domain)
  const ready = greetings.find((greeting) => greeting.kind === 'ready')
  if (ready !== undefined) return ok(`${ready.host} answers, ${ready.tls === null ? 'without TLS' : `over ${ready.tls}`}.`)
  const refused = greetings.find((greeting) => greeting.kind === 'refused')
  if (refused !== undefined && refused.code !== null && refused.code >= 500)
    return problem(
      `${refused.host} refuses us: ${refused.code} ${refused.text}`,
      'Do what the answer says; the address may be on a blocklist.',
    )
  if (refused !== undefined)
    return warning(
      `${refused.host} accepts the connection, but takes no mail now: ${refused.code === null ? '' : `${refused.code} `}${refused.text}`,
      'Run the check again; if the answer stays the same, see whether a firewall changes what passes on port 25.',
    )
  const unreached = greetings.find((greeting) => greeting.kind === 'unreached')
  if (unreached !== undefined)
    return problem(
      `${unreached.text.replace(/\.$/, '')}.`,
      'Open port 25 for outgoing connections; many providers open it on request only. Otherwise send through a relay (SMTP_RELAY_URL).',
    )
  if (servers.kind === 'unanswered') return unknown(`Its mail servers could not be looked up: ${answerReason(servers)}.`, RESOLVERS)
  return unknown('It has no mail server to connect to.', 'Set PROBE_DOMAIN to a domain of a large provider.')
}

/** @param addresses the answer for the addresses of the host, if there is no server to ask. */
export function checkInbound(host: string, greetings: readonly Greeting[], addresses: RecordAnswer): Finding {
  const { ok, warning, unknown } = about('inbound', host)
  const ready = greetings.find((greeting) => greeting.kind === 'ready')
  if (ready !== undefined) return ok(`It answers on port 25, ${ready.tls === null ? 'without TLS' : `over ${ready.tls}`}.`)
  const refused = greetings.find((greeting) => greeting.kind === 'refused')
  if (refused !== undefined)
    return warning(
      `Port 25 answers ${refused.code === null ? '' : `${refused.code} `}${refused.text}`,
      'See whether it leads to the SMTP server of this service (INBOUND_HOST, INBOUND_PORT).',
    )
  const unreached = greetings.find((greeting) => greeting.kind === 'unreached')
  if (unreached !== undefined)
    return warning(
      `Bounces may not come back: ${unreached.text.replace(/\.$/, '')}.`,
      'Forward port 25 to the SMTP server of this service (INBOUND_HOST, INBOUND_PORT), and check it from another network: some networks do not reach their own public address.',
    )
  if (addresses.kind === 'unanswered') return unknown(`Its address could not be looked up: ${answerReason(addresses)}.`, RESOLVERS)
  return unknown('It has no address to connect to.', 'Publish the addresses of MAIL_HOSTNAME.')
}

export function checkRelayAnswer(host: string, answer: RelayAnswer): Finding {
  const { ok, problem } = about('relay', host)
  if (answer.isUsable) return ok(`It answers, ${answer.tls === null ? 'without TLS' : `over ${answer.tls}`}.`)
  return problem(
    `${answer.isReached ? 'It answers, but takes no mail' : 'It does not answer'}: ${answer.reason.replace(/\.$/, '')}.`,
    'Check the relay and SMTP_RELAY_URL. Mail waits and is retried.',
  )
}
