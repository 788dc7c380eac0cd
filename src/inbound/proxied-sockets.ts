import type { Socket } from 'node:net'
import { readProxyHeader } from '../lib/inbound/proxy-header.ts'

export type Client = { address: string; port: number }

/**
 * Reads the header of the PROXY protocol, and leaves what follows it in the socket.
 *
 * @returns the client whom the proxy names, or null if it names none.
 * @throws if there is no such header in time. The socket may not be used any longer.
 */
export function readClientOf(socket: Socket, timeMsMax: number): Promise<Client | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Client | null>()
  let bytes = Buffer.alloc(0)
  const fail = () => reject(new Error('A proxy has to begin with a header of the PROXY protocol'))
  const timer = setTimeout(fail, timeMsMax)

  function read(): void {
    const piece: Buffer | null = socket.read()
    if (piece === null) return
    bytes = Buffer.concat([bytes, piece])
    const header = readProxyHeader(bytes)
    if (header.kind === 'broken') fail()
    if (header.kind !== 'complete') return
    socket.off('readable', read)
    if (bytes.length > header.bytes) socket.unshift(bytes.subarray(header.bytes))
    resolve(header.client)
  }

  socket.on('readable', read).once('close', fail)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('readable', read).off('close', fail)
  })
}
