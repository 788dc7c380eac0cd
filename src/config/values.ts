// Parses the forms of value that several variables share, and says what is wrong with one that cannot be used.

import ipaddr from 'ipaddr.js'
import { StartupProblem } from '../lib/startup-problem.ts'
import { canonicalDomain } from '../mail/addresses.ts'
import { Environment } from './environment.ts'

export function wrong(name: string, permitted: string, value: string): StartupProblem {
  return new StartupProblem(`${name} must be ${permitted}; it is ${shown(name, value)}.`)
}

/** The part of a value that may be printed: nothing of a secret, and no credentials of a URL. */
export function shown(name: string, value: string): string {
  const schema = Object.entries(Environment.properties).find(([key]) => key === name)?.[1]
  if (schema && 'x-secret' in schema) return 'something else (not shown, because it is a secret)'
  return JSON.stringify(value.replace(/\/\/[^@/]*@/, '//***@'))
}

export function allowed(name: string): string {
  const schema: { description?: string; enum?: string[]; minimum?: number; maximum?: number; 'x-allowed'?: string } =
    Object.entries(Environment.properties).find(([key]) => key === name)?.[1] ?? {}
  if (schema.enum) return alternatives(schema.enum)
  if (schema['x-allowed'] !== undefined) return schema['x-allowed']
  return schema.minimum === undefined ? 'a text' : `a whole number from ${schema.minimum} to ${schema.maximum}`
}

/** `a`, `a or b`, `a, b or c`. */
const alternatives = (values: string[]): string => values.join(', ').replace(/, ([^,]*)$/, ' or $1')

export const list = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

export function url(name: string, value: string, protocols: string[]): URL {
  const parsed = URL.parse(value)
  // An unencoded / or # of a password ends the address there, and what comes before it has a port that is none.
  if (!parsed && protocols.some((protocol) => value.startsWith(`${protocol}//`)))
    throw new StartupProblem(
      `${name} is not a valid URL: write special characters of its user and password as % and two digits (@ is %40, / is %2F, # is %23), and a port as a number up to 65535.`,
    )
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
