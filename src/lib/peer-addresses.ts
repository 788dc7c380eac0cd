import ipaddr from 'ipaddr.js'

/** As it is shown and compared: an IPv4 address that a socket wraps in IPv6 is unwrapped. */
export const plainAddress = (address: string): string => (ipaddr.isValid(address) ? ipaddr.process(address).toString() : address)

/** Whom limits hold for: the address, and for IPv6 its /64, because a host has all addresses of one. */
export const peerOf = (address: string): string => prefixOf(address, { ipv4: 32, ipv6: 64 })

/** What one owner has all of, and is announced as one: a /24 of IPv4, a /48 of IPv6. */
export const networkOf = (address: string): string => prefixOf(address, { ipv4: 24, ipv6: 48 })

/** What is no address stands for itself. */
function prefixOf(address: string, bits: { ipv4: number; ipv6: number }): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  const bitCount = bits[parsed.kind()]
  return `${parsed
    .toByteArray()
    .slice(0, bitCount / 8)
    .join('.')}/${bitCount}`
}

/** Whether an address is one of these, or in one of these ranges. */
export function createAddressRanges(addressesOrRanges: readonly string[]): (address: string) => boolean {
  const ranges = addressesOrRanges.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128] as const
  })
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
  }
}

/** Whether the host of a URL, a `Host` header or a socket is certainly this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback'
}

/** Whether the host of a URL is an address, and no name. */
export const isAddress = (host: string): boolean => ipaddr.isValid(host.replace(/^\[(.*)\]$/, '$1'))

/** Names below `localhost` do not count. Some systems ask a resolver for them, whose answer can be forged. */
export const isThisMachine = (host: string): boolean => isLoopback(host) && !host.toLowerCase().endsWith('.localhost')
