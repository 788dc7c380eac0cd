// Connections to places that a client or a stranger names may reach only the public internet.
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'

// The addresses at which clouds tell a machine its secrets. No connection to a place that a stranger names may lead there, not even where private
// networks are allowed.

/** True for the addresses of cloud metadata services, in every form in which IPv6 embeds an IPv4 address (RFC 4291, 6052, 3056, 4380). */
export function isMetadataAddress(ip: string): boolean {
  if (isIP(ip) === 0) return false
  const address = ipaddr.parse(ip)
  if (address.kind() === 'ipv4') return isMetadataV4(address.toByteArray())
  const bytes = address.toByteArray()
  return METADATA_V6.some((range) => address.match(range)) || carriedV4(bytes).some(isMetadataV4) || endsLikeMetadata(bytes)
}

const METADATA_V4 = [
  // All of link-local: AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, IBM, Linode, OpenStack, Scaleway, Tencent, Vultr, and containers' credentials.
  '169.254.0.0/16',
  // Alibaba.
  '100.100.100.200/32',
  // Azure's own services; a public address to everyone else.
  '168.63.129.16/32',
  // Oracle, its older cloud.
  '192.0.0.192/32',
].map((range) => ipaddr.IPv4.parseCIDR(range))

const METADATA_V6 = [
  // AWS: metadata, DNS, time and the credentials of containers.
  'fd00:ec2::/32',
  // Google.
  'fd20:ce::254/128',
  // Oracle.
  'fd00:c1::a9fe:a9fe/128',
  // Scaleway.
  'fd00:42::42/128',
  // Linode.
  'fd00:a9fe:a9fe::/64',
  // Alibaba.
  'fd00:100::100:200/128',
].map((range) => ipaddr.IPv6.parseCIDR(range))

const isMetadataV4 = (bytes: number[]): boolean => {
  const address = new ipaddr.IPv4(bytes)
  return METADATA_V4.some((range) => address.match(range))
}

/** The IPv4 addresses that a gateway could read from these sixteen bytes. */
function carriedV4(bytes: number[]): number[][] {
  const begins = (prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte)
  const found: number[][] = []
  // Compatible, mapped and translated addresses; the prefix of NAT64, and the one for local networks.
  if (bytes.slice(0, 8).every((byte) => byte === 0) || begins([0x00, 0x64, 0xff, 0x9b])) found.push(bytes.slice(12))
  // With a prefix of 48 bits the address goes around the ninth byte, which stays zero (RFC 6052, section 2.2).
  if (begins([0x00, 0x64, 0xff, 0x9b, 0x00, 0x01])) found.push([...bytes.slice(6, 8), ...bytes.slice(9, 11)])
  // 6to4.
  if (begins([0x20, 0x02])) found.push(bytes.slice(2, 6))
  // Teredo, which inverts every bit.
  if (begins([0x20, 0x01, 0x00, 0x00])) found.push(bytes.slice(12).map((byte) => byte ^ 0xff))
  return found
}

/** A network may have its own NAT64 prefix, and tunnels (RFC 5214) and OpenStack end in the same way: the last four bytes are the address. */
const endsLikeMetadata = (bytes: number[]): boolean => METADATA_ENDINGS.has(bytes.slice(12).join('.'))
const METADATA_ENDINGS: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
])

export type OutboundGuardOptions = {
  /** Allows everything except cloud metadata, for tests and for services on the owner's own network. */
  allowPrivateNetworks: boolean
  /** All addresses of a name; the system's resolver if absent. */
  resolve?: (hostname: string) => Promise<ResolvedAddress[]>
}

export type ResolvedAddress = { address: string; family: number }

/** The error of a connection whose target is not public. */
export class OutboundRefusal extends Error {
  readonly code = 'ERR_OUTBOUND_REFUSED'

  constructor(host: string) {
    super(`${host} is not at a public address`)
    this.name = 'OutboundRefusal'
  }
}

/**
 * A `lookup` for `net.connect`. The connection is made to the address that was checked, so a DNS answer that changes in between gains nothing. Of
 * several addresses only the public ones are returned; if there is none, it fails with OutboundRefusal. Node does not look up literal addresses:
 * check those with `isAllowedHost` first, as `createGuardedAgent` does.
 */
export function createGuardedLookup({ allowPrivateNetworks, resolve = resolveBySystem }: OutboundGuardOptions): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (resolved) => {
        const allowed = resolved.filter(({ address }) => isAllowedAddress(address, { allowPrivateNetworks }))
        const [first] = allowed
        if (first === undefined) return callback(new OutboundRefusal(hostname), '', 0)
        if (options.all === true) return callback(null, allowed)
        callback(null, first.address, first.family)
      },
      (error) => callback(error, '', 0),
    )
  }
}

/**
 * An HTTP client that guards every connection, literal addresses included. It sends one request per connection, so that no connection outlives its
 * check.
 */
export const createGuardedAgent = (options: OutboundGuardOptions & { connectTimeoutMs: number }): Agent =>
  new Agent({ allowH2: false, pipelining: 0, connect: createGuardedConnector(options) })

/** Connects clients of HTTP, guarded, literal addresses included. `ca`: the authorities that are trusted; those of the system if absent. */
export function createGuardedConnector({
  connectTimeoutMs,
  allowH2 = false,
  ca,
  ...guard
}: OutboundGuardOptions & { connectTimeoutMs: number; allowH2?: boolean; ca?: string }): buildConnector.connector {
  const connect = buildConnector({
    lookup: createGuardedLookup(guard),
    timeout: connectTimeoutMs,
    allowH2,
    ...(ca !== undefined && { ca }),
  })
  return (target, callback) => {
    if (!isAllowedHost(target.hostname, guard)) return callback(new OutboundRefusal(target.hostname), null)
    connect(target, callback)
  }
}

/**
 * False only for hosts that are known to be refused without DNS: literal addresses that are not public, and `localhost`. The addresses of a name
 * are checked when connecting.
 */
export function isAllowedHost(host: string, { allowPrivateNetworks }: { allowPrivateNetworks: boolean }): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return allowPrivateNetworks
  return !isLiteralAddress(name) || isAllowedAddress(name, { allowPrivateNetworks })
}

function isAllowedAddress(ip: string, { allowPrivateNetworks }: { allowPrivateNetworks: boolean }): boolean {
  if (isMetadataAddress(ip)) return false
  return allowPrivateNetworks || (isPublicAddress(ip) && !isOwnAddress(ip))
}

/**
 * True for unicast addresses of the public internet (IANA special-purpose registries, RFC 6890). In IPv6 only 2000::/3 is public. Mapped
 * (::ffff:0:0/96), translated (64:ff9b::/96, 64:ff9b:1::/48), 6to4 and Teredo addresses are refused, because any IPv4 address may be embedded in
 * them.
 */
export function isPublicAddress(ip: string): boolean {
  if (!isLiteralAddress(ip)) return false
  const address = ipaddr.parse(ip)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
}

/** The only IPv6 block that is assigned for the internet (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

const isLiteralAddress = (host: string): boolean => isIP(host) !== 0

/** A public address of this machine leads back into it, past every firewall. */
function isOwnAddress(ip: string): boolean {
  const wanted = ipaddr.parse(ip).toNormalizedString()
  return Object.values(networkInterfaces()).some((list) =>
    list?.some(({ address }) => ipaddr.parse(address).toNormalizedString() === wanted),
  )
}

const resolveBySystem = (hostname: string): Promise<ResolvedAddress[]> => systemLookup(hostname, { all: true })
