import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'

/** Begins TLS with a client that has just connected. Null if that fails, or takes too long. */
export function secureSocket(socket: Socket, secureContext: SecureContext, timeMsMax: number): Promise<TLSSocket | null> {
  const { promise, resolve } = Promise.withResolvers<TLSSocket | null>()
  const secured = new TLSSocket(socket, { secureContext, isServer: true })
  const fail = () => resolve(null)
  const timer = setTimeout(fail, timeMsMax)
  // The listener for errors stays, because the session has its own only later.
  secured
    .on('error', fail)
    .once('close', fail)
    .once('secure', () => resolve(secured))
  return promise.finally(() => clearTimeout(timer))
}
