// Checks requests to an object store as its server does: AWS Signature Version 4 in the header, and the digest of the content that it covers.
import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const ACCESS_KEY_ID = 'AKIATESTTESTTESTTEST'
export const SECRET_ACCESS_KEY = 'a-secret-that-only-the-client-and-the-server-know'

/** A server refuses a request that is dated further from its own time. */
const SKEW_MS_MAX = 15 * 60_000

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[\w-]+\/s3\/aws4_request), SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/

/** The code of the refusal, or null. */
export function signatureProblem(request: IncomingMessage, url: URL, content: Buffer, now: Date): string | null {
  const [, id, scope = '', signedHeaders = '', signature] = AUTHORIZATION.exec(request.headers.authorization ?? '') ?? []
  if (id === undefined) return 'AccessDenied'
  if (id !== ACCESS_KEY_ID) return 'InvalidAccessKeyId'
  const headerOf = (name: string): string =>
    String(request.headers[name] ?? '')
      .trim()
      .replace(/ +/g, ' ')
  const date = headerOf('x-amz-date')
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(at - now.getTime()) <= SKEW_MS_MAX)) return 'RequestTimeTooSkewed'
  const names = signedHeaders.split(';')
  const contentHash = headerOf('x-amz-content-sha256')
  const canonical = [
    request.method,
    url.pathname
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${headerOf(name)}`),
    '',
    signedHeaders,
    contentHash,
  ].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${SECRET_ACCESS_KEY}`)
  const wanted = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex')
  if (signature !== wanted || !names.includes('host') || !names.includes('x-amz-content-sha256')) return 'SignatureDoesNotMatch'
  return contentHash === sha256(content) ? null : 'XAmzContentSHA256Mismatch'
}

export const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
