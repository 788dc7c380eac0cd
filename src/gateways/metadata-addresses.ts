// The addresses at which clouds tell a machine its secrets. No connection to a place that a stranger names may lead there, not even where private
// networks are allowed.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

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
