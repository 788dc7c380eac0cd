import type { Socket } from 'node:net'
import { readProxyHeader } from '../lib/inbound/proxy-header.ts'

export type Client = { address: string; port: number }

/**
 * Reads the header of the PROXY protocol, and leaves what follows it in the socket.
 *
 * @returns the client whom the proxy names; null if it names none. `no header` if there is none in time, `gone` if the connection ends before:
 * then nothing more may be read.
 */
export function readClientOf(socket: Socket, timeMsMax: number): Promise<Client | null | 'no header' | 'gone'> {
  const { promise, resolve } = Promise.withResolvers<Client | null | 'no header' | 'gone'>()
  let bytes = Buffer.alloc(0)
  const vanish = () => resolve('gone')
  const timer = setTimeout(() => resolve('no header'), timeMsMax)

  function read(): void {
    const piece: Buffer | null = socket.read()
    if (piece === null) return
    bytes = Buffer.concat([bytes, piece])
    const header = readProxyHeader(bytes)
    if (header.kind === 'broken') resolve('no header')
    if (header.kind !== 'complete') return
    socket.off('readable', read)
    if (bytes.length > header.bytes) socket.unshift(bytes.subarray(header.bytes))
    resolve(header.client)
  }

  socket.on('readable', read).once('end', vanish).once('close', vanish)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('readable', read).off('end', vanish).off('close', vanish)
  })
}
