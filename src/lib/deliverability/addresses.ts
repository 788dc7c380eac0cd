import ipaddr from 'ipaddr.js'

/**
 * The labels of an address in reverse, under which its PTR record (RFC 1035, section 3.5; RFC 3596, section 2.5) and its entries in blocklists
 * (RFC 5782, section 2) are found.
 *
 * @param zone of a blocklist; the DNS's own if absent.
 */
export function reverseName(address: string, zone?: string): string {
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return `${parsed.toByteArray().reverse().join('.')}.${zone ?? 'in-addr.arpa'}`
  const nibbles = parsed.toByteArray().flatMap((byte) => [byte >> 4, byte & 0xf])
  return `${nibbles
    .reverse()
    .map((nibble) => nibble.toString(16))
    .join('.')}.${zone ?? 'ip6.arpa'}`
}

/** However they are written. */
export const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.isValid(one) && ipaddr.isValid(other) && ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString()

export const isIpv6 = (address: string): boolean => ipaddr.process(address).kind() === 'ipv6'

/** Whether a host is an address and no name. */
export const isAddress = (host: string): boolean => ipaddr.isValid(host)

/** Whether the whole internet can reach it. */
export const isPublic = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
