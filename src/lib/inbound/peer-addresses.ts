import ipaddr from 'ipaddr.js'

/** As it is shown and compared: an IPv4 address that a socket wraps in IPv6 is unwrapped. */
export const plainAddress = (address: string): string => (ipaddr.isValid(address) ? ipaddr.process(address).toString() : address)

/** Whom limits hold for: the address, and for IPv6 its /64, because a host has all addresses of one. */
export function peerOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${parsed.toByteArray().slice(0, 8).join('.')}/64`
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
