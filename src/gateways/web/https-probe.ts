// Reads the certificate of a web server and the headers of an answer. Whether the certificate is trusted is part of what it reads.
import { request } from 'node:https'
import { TLSSocket } from 'node:tls'
import type { HttpsAnswer, WebServer } from '../../lib/deliverability/probes.ts'
import { isAllowedHost } from '../outbound-guard.ts'

export type HttpsProbeOptions = {
  /** For each address, whatever the server does. */
  timeoutMs: number
  /** The authorities that are trusted; those of the system if absent. */
  ca?: string
  /** Applies to servers that are not ours. */
  guard: { allowPrivateNetworks: boolean }
}

/** A host with many addresses answers at its first ones, or not at all. */
const ADDRESSES_TRIED_MAX = 2

const HEADER_BYTES_MAX = 16 * 1024

/** Never fails. */
export async function openHttps({ host, port, addresses, isOurs }: WebServer, options: HttpsProbeOptions): Promise<HttpsAnswer> {
  const allowed = addresses.filter((address) => isOurs || isAllowedHost(address, options.guard))
  let answer: HttpsAnswer = { kind: 'unreached', reason: 'it has no public address' }
  for (const address of allowed.slice(0, ADDRESSES_TRIED_MAX)) {
    answer = await openAt(address, { host, port }, options)
    if (answer.kind === 'answered') return answer
  }
  return answer
}

function openAt(
  address: string,
  { host, port }: Pick<WebServer, 'host' | 'port'>,
  { timeoutMs, ca }: HttpsProbeOptions,
): Promise<HttpsAnswer> {
  return new Promise((resolve) => {
    let seen: Omit<Extract<HttpsAnswer, { kind: 'answered' }>, 'date'> | null = null
    const asking = request({
      host: address,
      port,
      method: 'HEAD',
      path: '/',
      headers: { host, connection: 'close' },
      // An address is no name of a server (RFC 6066, section 3).
      ...(host !== address && { servername: host }),
      ...(ca !== undefined && { ca }),
      // An invalid certificate is an answer, too.
      rejectUnauthorized: false,
      agent: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const finish = (answer: HttpsAnswer) => {
      resolve(answer)
      asking.destroy()
    }
    asking.on('socket', (socket) => {
      if (!(socket instanceof TLSSocket)) return
      socket.once('secureConnect', () => {
        const { valid_to: validTo } = socket.getPeerCertificate()
        const fault = socket.authorized ? null : String(socket.authorizationError)
        seen = { kind: 'answered', fault, validTo: validTo === undefined ? null : new Date(validTo) }
      })
    })
    asking.on('response', ({ headers }) => finish(seen === null ? UNREAD : { ...seen, date: dateOf(headers.date) }))
    // Later ones find the answer given.
    asking.on('error', (error) =>
      finish(seen === null ? { kind: 'unreached', reason: reasonOf(error, timeoutMs) } : { ...seen, date: null }),
    )
    asking.end()
  })
}

const UNREAD: HttpsAnswer = { kind: 'unreached', reason: 'its certificate could not be read' }

function dateOf(header: string | undefined): Date | null {
  const date = new Date(header ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}

const reasonOf = (error: Error & { code?: string }, timeoutMs: number): string =>
  error.name === 'AbortError' || error.name === 'TimeoutError'
    ? `no answer within ${timeoutMs / 1_000} seconds`
    : (error.code ?? error.message)
