// Which senders an SPF record permits (RFC 7208), as far as can be told without more questions to the DNS.
import ipaddr from 'ipaddr.js'

export const isSpfRecord = (text: string): boolean => /^v=spf1(?: |$)/i.test(text)

/** Whether the published record permits everything that the wanted one names, whatever else it says. `host` is the name that both are for. */
export function permitsSameSenders(published: string, wanted: string, host: string): boolean {
  const permissions = permissionsOf(published, host)
  return (
    permissions !== null &&
    permissionsOf(wanted, host)?.every((need) => permissions.some((permission) => covers(permission, need))) === true
  )
}

/** `range` is the prefix length of an address, or of the addresses of a host. */
type Permission = { mechanism: string; target: string; range: string }

type Term = Permission & { qualifier: string }

/** Reads the record in lower case. Null if there is an error anywhere in it, because receivers then ignore all of it (section 4.6). */
function permissionsOf(text: string, host: string): Permission[] | null {
  const terms: Term[] = []
  let redirect: string | null = null
  for (const word of text.toLowerCase().split(' ').slice(1)) {
    if (word === '') continue
    const term = parseTerm(word, host)
    if (term !== null) terms.push(term)
    else if (word.startsWith('redirect=')) redirect = word.slice('redirect='.length)
    else if (!MODIFIER.test(word)) return null
  }
  const all = terms.findIndex(({ mechanism }) => mechanism === 'all')
  // What follows `all` is never looked at, nor is a redirection beside it (sections 5.1 and 6.1).
  const tested = all === -1 ? terms : terms.slice(0, all)
  if (all === -1 && redirect !== null) tested.push({ qualifier: '', mechanism: 'include', target: withoutDot(redirect), range: '' })
  return tested.filter(({ qualifier }) => qualifier === '' || qualifier === '+')
}

const MECHANISM = /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::(\S+?))?((?:\/\d{1,3})?(?:\/\/\d{1,3})?)$/
const MODIFIER = /^[a-z][a-z\d_.-]*=/

function parseTerm(text: string, host: string): Term | null {
  const [, qualifier = '', mechanism = '', target, range = ''] = MECHANISM.exec(text) ?? []
  const isWhole = mechanism !== '' && (target !== undefined || WITHOUT_TARGET.includes(mechanism))
  return isWhole ? { qualifier, mechanism, target: withoutDot(target ?? host), range } : null
}

/** They are about the name of the record itself unless they say otherwise. */
const WITHOUT_TARGET: readonly string[] = ['all', 'a', 'mx', 'ptr']

const withoutDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name)

function covers(permission: Permission, need: Permission): boolean {
  if (permission.mechanism !== need.mechanism) return false
  if (need.mechanism !== 'ip4' && need.mechanism !== 'ip6') {
    return permission.target === need.target && (need.range === '' || need.range === permission.range)
  }
  const outer = networkOf(permission)
  const inner = networkOf(need)
  return outer !== null && inner !== null && outer.bits <= inner.bits && inner.address.match(outer.address, outer.bits)
}

function networkOf({ mechanism, target, range }: Permission) {
  if (target.length > ADDRESS_LENGTH_MAX) return null
  const [version, bitsMax] = mechanism === 'ip4' ? (['ipv4', 32] as const) : (['ipv6', 128] as const)
  const bits = range === '' ? bitsMax : Number(range.slice(1))
  if (!ipaddr.isValid(target) || !(bits <= bitsMax)) return null
  const address = ipaddr.parse(target)
  return address.kind() === version ? { address, bits } : null
}

/** The length of an IPv6 address with an IPv4 address at its end. */
const ADDRESS_LENGTH_MAX = 45
