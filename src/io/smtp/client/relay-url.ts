import { isThisMachine } from '../../../lib/peer-addresses.ts'
import { StartupProblem } from '../../../lib/startup-problem.ts'

/** Where a relay is and how to talk to it. */
export type RelayTarget = {
  host: string
  port: number
  /** TLS from the first byte (`smtps://`); otherwise STARTTLS is used when offered. */
  implicitTls: boolean
  /** Neither login nor mail without TLS. `unlessHere`: except if the server that answers is this machine, whatever its name. */
  requireTls: boolean | 'unlessHere'
  /** Whether the certificate must be valid for the host. */
  verifyCertificate: boolean
  credentials: { user: string; password: string } | null
}

const SUBMISSION_PORT = 587
const SUBMISSION_OVER_TLS_PORT = 465

/**
 * Reads `smtp://user:password@host:port` or `smtps://...`, with the options `requireTLS` and `tls.rejectUnauthorized` (true or false). A password
 * travels over TLS only, unless the relay is on this machine or `requireTLS=false` accepts that anyone on the way may read it. Fails with a
 * StartupProblem that never shows the password.
 */
export function parseRelayUrl(text: string): RelayTarget {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') {
    throw problem('must look like smtp://user:password@host:port or smtps://user:password@host:port')
  }
  const implicitTls = url.protocol === 'smtps:'
  const names = [...url.searchParams.keys()]
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw problem(`has the option ${repeated} more than once`)
  const { requireTLS, 'tls.rejectUnauthorized': rejectUnauthorized, ...unknown } = Object.fromEntries(url.searchParams)
  const [unknownName] = Object.keys(unknown)
  if (unknownName !== undefined) throw problem(`has the option ${unknownName}, but only requireTLS and tls.rejectUnauthorized are known`)
  if ((url.username === '') !== (url.password === '')) throw problem('must have both user and password, or neither')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const credentials = url.username === '' ? null : { user: decoded(url.username), password: decoded(url.password) }
  return {
    host,
    port: url.port === '' ? (implicitTls ? SUBMISSION_OVER_TLS_PORT : SUBMISSION_PORT) : Number(url.port),
    implicitTls,
    requireTls: requireTLS === undefined ? isTlsNeeded(host, credentials) : choice('requireTLS', requireTLS, false),
    verifyCertificate: choice('tls.rejectUnauthorized', rejectUnauthorized, true),
    credentials,
  }
}

const isTlsNeeded = (host: string, credentials: RelayTarget['credentials']): RelayTarget['requireTls'] =>
  credentials !== null && (isThisMachine(host) ? 'unlessHere' : true)

/** Decided when the address of the peer is known, because someone may have given the name `localhost` another address. */
export const needsTls = ({ requireTls }: Pick<RelayTarget, 'requireTls'>, peerAddress: string | undefined): boolean =>
  requireTls === 'unlessHere' ? !isThisMachine(peerAddress ?? '') : requireTls

function choice(name: string, value: string | undefined, whenAbsent: boolean): boolean {
  if (value === undefined) return whenAbsent
  if (value !== 'true' && value !== 'false') throw problem(`has the option ${name}, which must be true or false`)
  return value === 'true'
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw problem('has a % in user or password that starts no escape; write it as %25')
  }
}

const problem = (what: string): StartupProblem => new StartupProblem(`SMTP_RELAY_URL ${what}.`)
