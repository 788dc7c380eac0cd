// The encodings in which an answer can be sent, and which of them a client asks for (RFC 9110, section 12.5.3).
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'

export type ContentEncoding = 'br' | 'gzip'

/** Far more than clients send. Finding the best entry of a longer list is not worth its time. */
const ACCEPT_LENGTH_MAX = 1_000

/**
 * The one of ours to which the client gives the highest weight; of equal weights, ours that is smaller. Null if it prefers the bytes as they are, says
 * nothing, or takes nothing that there is: an answer in a form that was not asked for is better than none.
 */
export function wantedEncoding(headers: IncomingHttpHeaders): ContentEncoding | null {
  const { 'accept-encoding': accepted } = headers
  if (!accepted || accepted.length > ACCEPT_LENGTH_MAX) return null
  const client: PreferringNegotiator = new Negotiator({ headers })
  const best = client.encoding([...ENCODINGS, 'identity'], { preferred: [...ENCODINGS] })
  return ENCODINGS.find((encoding) => encoding === best) ?? null
}

/** Its types lack the preference for equal weights. */
type PreferringNegotiator = { encoding(available: string[], options: { preferred: string[] }): string | undefined }

/** The smallest first. */
const ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip']

/** The header `vary` of an answer that has several encodings: caches keep each. */
export const varyByEncoding = (vary: unknown): string => (vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)

/** `once` for what is sent many times, `each` for what is sent a single time and must not wait. */
export type Effort = 'once' | 'each'

/** In a thread of its own, so that other requests do not wait. */
export const compressed = (bytes: Buffer, encoding: ContentEncoding, effort: Effort): Promise<Buffer> =>
  encoding === 'gzip' ? gzipped(bytes, { level: GZIP_LEVEL[effort] }) : brotli(bytes, { params: BROTLI[effort](bytes.length) })

const gzipped = promisify<Buffer, { level: number }, Buffer>(gzip)
const brotli = promisify<Buffer, { params: Record<number, number> }, Buffer>(brotliCompress)

const GZIP_LEVEL: Record<Effort, number> = { once: 9, each: 6 }

const { BROTLI_PARAM_QUALITY: QUALITY, BROTLI_PARAM_LGWIN: WINDOW, BROTLI_PARAM_SIZE_HINT: SIZE } = constants

const BROTLI: Record<Effort, (bytes: number) => Record<number, number>> = {
  // The highest ones take seconds for a document.
  once: (bytes) => ({ [QUALITY]: 9, [SIZE]: bytes }),
  // As fast as gzip, and smaller. A window of 256 KB, in place of 4 MB, because many may be written at once.
  each: (bytes) => ({ [QUALITY]: 4, [WINDOW]: 18, [SIZE]: bytes }),
}
