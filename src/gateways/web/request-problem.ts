import { errors } from 'undici'
import { OutboundRefusal } from '../outbound-guard.ts'

/** Why a request got no answer, or no whole one, in a sentence for the owner of the endpoint. */
export function requestProblem(
  error: unknown,
  { isTimeout, seconds, hasAnswered }: { isTimeout: boolean; seconds: number; hasAnswered: boolean },
): string {
  if (isTimeout) return `The endpoint did not ${hasAnswered ? 'finish its answer' : 'answer'} within ${seconds} seconds.`
  if (error instanceof OutboundRefusal) return 'The endpoint is not at an address on the public internet.'
  if (error instanceof errors.HTTPParserError) return NOT_HTTP
  const code = codeOf(error)
  if (code === null) return 'The request failed.'
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'No TLS connection could be made to the endpoint.'
  if (code.startsWith('ERR_HTTP2')) return 'The endpoint ended the request before it answered.'
  return SENTENCES[code] ?? `The request failed (${code}).`
}

const NOT_HTTP = 'The answer of the endpoint is not HTTP.'
const NOT_TRUSTED = 'The certificate of the endpoint is not signed by an authority that is trusted.'
const CLOSED = 'The endpoint closed the connection before its answer was complete.'
const UNREACHABLE = 'The endpoint cannot be reached.'

const SENTENCES: Record<string, string> = {
  // undici throws this about a status that no answer can have.
  ERR_ASSERTION: NOT_HTTP,
  ECONNREFUSED: 'The endpoint refused the connection.',
  ENOTFOUND: 'The host name of the endpoint does not exist.',
  EAI_AGAIN: 'The host name of the endpoint could not be looked up.',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  UND_ERR_CONNECT_TIMEOUT: UNREACHABLE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long.',
  CERT_HAS_EXPIRED: 'The certificate of the endpoint has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the endpoint is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the endpoint is for another host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
}

/** The greatest depth of causes that is read. */
const CAUSES_MAX = 4

/** The innermost that says something: undici wraps what the socket said. */
function codeOf(error: unknown): string | null {
  let found: string | null = null
  let at = error
  for (let depth = 0; at instanceof Error && depth < CAUSES_MAX; depth++) {
    if ('code' in at && typeof at.code === 'string') found = at.code
    at = at.cause ?? ('errors' in at && Array.isArray(at.errors) ? at.errors[0] : undefined)
  }
  return found
}
