import { about, type Finding } from '../../lib/deliverability/findings.ts'
import type { HttpsAnswer } from '../../lib/deliverability/probes.ts'
import type { RecordAnswer } from '../../lib/domains/domain-records.ts'
import { RESOLVERS } from './hostnames.ts'

const DAY_MS = 24 * 60 * 60_000

/** Certificates are renewed a month before they expire, so something is wrong by then. */
const DAYS_LEFT_MIN = 14

/**
 * Judges the certificate of the web server that answers for a host.
 * @param answer that of the DNS if no address was found.
 */
export function judgeCertificate(host: string, answer: HttpsAnswer | RecordAnswer, now: Date): Finding {
  const { ok, warning, problem, unknown } = about('certificate', host)
  if (answer.kind === 'unanswered') return unknown(`Its addresses could not be looked up: ${answer.reason}.`, RESOLVERS)
  if (answer.kind === 'absent' || answer.kind === 'records')
    return problem('It has no address in the DNS, so no link in an email opens.', 'Publish the records that `posthaste dns` shows.')
  if (answer.kind === 'unreached')
    return warning(
      `It cannot be reached from this machine: ${answer.reason}.`,
      'See whether links open from elsewhere; if they do not, start what answers at PUBLIC_URL or open its port.',
    )
  const { fault, validTo } = answer
  if (fault !== null) return problem(...faultOf(fault))
  if (validTo === null) return problem('It presents no certificate.', 'Give the server at PUBLIC_URL a certificate.')
  const day = validTo.toISOString().slice(0, 10)
  const daysLeft = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS)
  if (daysLeft < 0) return problem(`Its certificate expired on ${day}.`, 'Renew it.')
  if (daysLeft < DAYS_LEFT_MIN)
    return warning(
      `Its certificate expires on ${day}, in ${daysLeft === 1 ? 'a day' : `${daysLeft} days`}.`,
      'Renew it, and see why that did not happen by itself.',
    )
  return ok(`Its certificate is trusted, and valid until ${day}.`)
}

/** The finding for a service whose PUBLIC_URL is not https. */
export const judgeClearWeb = (host: string): Finding =>
  about('certificate', host).warning(
    'PUBLIC_URL is http, so links in emails open without TLS, and one-click unsubscribing does not work (RFC 8058).',
    'Put a proxy with a certificate in front of the service, and set PUBLIC_URL to its https address.',
  )

/** `code` is one of OpenSSL's or Node's. */
function faultOf(code: string): [found: string, advice: string] {
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
        'Get one of a public authority, such as Let\u2019s Encrypt.',
      ]
    default:
      return [`Its certificate is not trusted (${code}).`, 'Get one of a public authority, such as Let\u2019s Encrypt.']
  }
}
