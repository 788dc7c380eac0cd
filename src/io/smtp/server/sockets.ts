// The header with which a proxy says who connected to it: the PROXY protocol, version 1 and 2, as HAProxy defines it.

import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import ipaddr from 'ipaddr.js'

export type ProxyHeader =
  /** `client`: null if the proxy speaks for itself, as its health checks do. */
  { kind: 'complete'; bytes: number; client: { address: string; port: number } | null } | { kind: 'incomplete' } | { kind: 'broken' }

/** Reads the header from the first bytes of a connection. What follows it is not looked at. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (startsLike(bytes, SIGNATURE_2)) return readVersion2(bytes)
  if (startsLike(bytes, SIGNATURE_1)) return readVersion1(bytes)
  return BROKEN
}

const SIGNATURE_1 = Buffer.from('PROXY ')
const SIGNATURE_2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n')
/** The length includes the line break. */
const LINE_BYTES_MAX = 107
const FIXED_BYTES = 16
/** Addresses, and what a proxy adds to them. Proxies that are known add far less. */
const REST_BYTES_MAX = 4_096

const BROKEN = { kind: 'broken' } as const
const INCOMPLETE = { kind: 'incomplete' } as const

/** Whether the bytes so far are those of the signature, or the beginning of it. */
const startsLike = (bytes: Buffer, signature: Buffer): boolean => {
  const length = Math.min(bytes.length, signature.length)
  return bytes.subarray(0, length).equals(signature.subarray(0, length))
}

function readVersion1(bytes: Buffer): ProxyHeader {
  const end = bytes.indexOf('\r\n')
  if (end === -1) return bytes.length >= LINE_BYTES_MAX ? BROKEN : INCOMPLETE
  const length = end + 2
  if (length > LINE_BYTES_MAX) return BROKEN
  const [, family, source = '', destination, sourcePort = '', ...rest] = bytes.toString('latin1', 0, end).split(' ')
  if (family === 'UNKNOWN') return { kind: 'complete', bytes: length, client: null }
  const isRight = family === 'TCP4' ? ipaddr.IPv4.isValidFourPartDecimal(source) : family === 'TCP6' && ipaddr.IPv6.isValid(source)
  if (!isRight || destination === undefined || rest.length !== 1 || !/^\d{1,5}$/.test(sourcePort)) return BROKEN
  return { kind: 'complete', bytes: length, client: { address: source, port: Number(sourcePort) } }
}

function readVersion2(bytes: Buffer): ProxyHeader {
  if (bytes.length < FIXED_BYTES) return INCOMPLETE
  const [versionAndCommand, familyAndProtocol] = [bytes.readUInt8(12), bytes.readUInt8(13)]
  const rest = bytes.readUInt16BE(14)
  if (versionAndCommand >> 4 !== 2 || rest > REST_BYTES_MAX) return BROKEN
  const length = FIXED_BYTES + rest
  if (bytes.length < length) return INCOMPLETE
  const command = versionAndCommand & 0xf
  if (command === 0) return { kind: 'complete', bytes: length, client: null }
  if (command !== 1) return BROKEN
  const addressBytes = ADDRESS_BYTES[familyAndProtocol]
  if (addressBytes === undefined || rest < 2 * addressBytes + 4) return BROKEN
  const address = ipaddr.fromByteArray([...bytes.subarray(FIXED_BYTES, FIXED_BYTES + addressBytes)]).toString()
  return { kind: 'complete', bytes: length, client: { address, port: bytes.readUInt16BE(FIXED_BYTES + 2 * addressBytes) } }
}

/** The lengths of the addresses for TCP over IPv4 and IPv6. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = { 17: 4, 33: 16 }

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
