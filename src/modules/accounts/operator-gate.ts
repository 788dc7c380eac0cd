// Who may see what concerns the whole installation.
import { timingSafeEqual } from 'node:crypto'
import { digestToken } from '../../lib/ids.ts'
import { isThisMachine } from '../../lib/peer-addresses.ts'

export type OperatorRequest = {
  headers: { authorization?: string | undefined; host?: string | undefined; [name: string]: string | string[] | undefined }
  socket: { remoteAddress?: string | undefined }
}

/**
 * With a token, its bearer. Without one, a client that is certainly on this machine: HOST, PUBLIC_URL, the peer, the host name in the request, and the
 * absence of a proxy's headers all have to say so. A proxy on this machine need not add headers, but a service that has one has a PUBLIC_URL.
 */
export function createOperatorGate({ host, publicUrl, token }: { host: string; publicUrl: string; token: string | null }) {
  const isLocalService = isThisMachine(host) && isThisMachine(new URL(publicUrl).hostname)
  return ({ headers, socket }: OperatorRequest): boolean => {
    if (token !== null) return isSame(headers.authorization ?? '', `Bearer ${token}`)
    return isLocalService && isThisMachine(socket.remoteAddress ?? '') && isThisMachine(hostOf(headers.host)) && !isForwarded(headers)
  }
}

/** Digests have one length, so the time of a comparison reveals nothing about the token. */
export const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(Buffer.from(digestToken(given)), Buffer.from(digestToken(wanted)))

const hostOf = (header: string | undefined): string => URL.parse(`http://${header ?? ''}`)?.hostname ?? ''

const isForwarded = (headers: OperatorRequest['headers']): boolean =>
  Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || PROXY_HEADERS.has(name))
const PROXY_HEADERS = new Set(['forwarded', 'via', 'x-real-ip'])
