// The forms of value that several variables share: lists, URLs, names in the DNS, ranges of addresses.
import ipaddr from 'ipaddr.js'
import { canonicalDomain } from '../mail/addresses.ts'
import { wrong } from './wrong-values.ts'

export const list = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

export function url(name: string, value: string, protocols: string[]): URL {
  const parsed = URL.parse(value)
  if (!parsed || !protocols.includes(parsed.protocol))
    throw wrong(name, `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`, value)
  return parsed
}

export function origin(name: string, value: string): string {
  const parsed = url(name, value, ['http:', 'https:'])
  if (parsed.pathname !== '/' || parsed.search || parsed.hash)
    throw wrong(name, 'a URL without a path: the API stands at the root of its origin', value)
  return parsed.origin
}

export function dnsName(name: string, value: string, permitted = 'a full host name such as mail.example.com'): string {
  const domain = canonicalDomain(value)
  if (typeof domain !== 'string') throw wrong(name, permitted, value)
  return domain
}

export function addressRanges(name: 'TRUST_PROXY' | 'INBOUND_TRUST_PROXY', value: string): string[] {
  const ranges = list(value)
  const wrongOne = ranges.find((range) => !isAddressOrCidr(range))
  if (wrongOne !== undefined) throw wrong(name, 'addresses or CIDRs such as 10.0.0.0/8 or 2001:db8::1, separated by commas', wrongOne)
  return ranges
}

/** A prefix of zero bits is refused, as the web framework does. It would let every client choose its apparent address. */
function isAddressOrCidr(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/')
  const isVersion4 = ipaddr.IPv4.isValidFourPartDecimal(address)
  if (!(isVersion4 || ipaddr.IPv6.isValid(address)) || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (isVersion4 ? 32 : 128))
}
