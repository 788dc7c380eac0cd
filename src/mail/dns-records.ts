// Which senders an SPF record permits (RFC 7208), as far as can be told without more questions to the DNS.
import ipaddr from 'ipaddr.js'

// Which certificate authorities CAA records permit (RFC 8659).

/** Whether the records, in the form `0 issue "letsencrypt.org"`, let the authority of the wanted one issue certificates. */
export function permitsIssuer(published: readonly string[], wanted: string): boolean {
  const properties = published.map(parseProperty).filter((property) => property !== null)
  // An authority may not ignore what it does not know here (section 4.1).
  if (properties.some(({ isCritical, tag }) => isCritical && !TAGS.includes(tag))) return false
  const permissions = properties.filter(({ tag }) => tag === 'issue')
  // Properties that concern other things permit everyone (section 4.2).
  if (permissions.length === 0) return true
  const { issuer } = parsePermission(parseProperty(wanted)?.value ?? '')
  return permissions.some(({ value }) => {
    const permission = parsePermission(value)
    return permission.issuer === issuer && issuer !== '' && !permission.parameters.some((name) => RESTRICTING.includes(name))
  })
}

const TAGS: readonly string[] = ['issue', 'issuewild', 'issuemail', 'issuevmc', 'iodef', 'contactemail', 'contactphone']

/** They permit another account, or other ways to prove control of the domain, than ours (RFC 8657). */
const RESTRICTING: readonly string[] = ['accounturi', 'validationmethods']

const CRITICAL = 128

function parseProperty(text: string): { isCritical: boolean; tag: string; value: string } | null {
  const [, flags, tag, value] = /^(\d{1,3}) ([a-z\d]+) "(.*)"$/is.exec(text) ?? []
  if (flags === undefined || tag === undefined || value === undefined) return null
  return { isCritical: (Number(flags) & CRITICAL) !== 0, tag: tag.toLowerCase(), value }
}

/** `letsencrypt.org; validationmethods=http-01` (section 4.2). */
function parsePermission(value: string): { issuer: string; parameters: string[] } {
  const [issuer = '', ...parameters] = value.toLowerCase().split(';')
  return { issuer: issuer.trim(), parameters: parameters.map((parameter) => parameter.split('=', 1)[0]?.trim() ?? '') }
}

export const isSpfRecord = (text: string): boolean => /^v=spf1(?: |$)/i.test(text)

/** Whether the published record permits everything that the wanted one names, whatever else it says. `host` is the name that both are for. */
export function permitsSameSenders(published: string, wanted: string, host: string): boolean {
  const permissions = parsePermissions(published, host)
  return (
    permissions !== null &&
    parsePermissions(wanted, host)?.every((need) => permissions.some((permission) => covers(permission, need))) === true
  )
}

/** `range` is the prefix length of an address, or of the addresses of a host. */
type Permission = { mechanism: string; target: string; range: string }

type Term = Permission & { qualifier: string }

/** Reads the record in lower case. Null if there is an error anywhere in it, because receivers then ignore all of it (section 4.6). */
function parsePermissions(text: string, host: string): Permission[] | null {
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

// TXT records that are lists of tags: DKIM keys (RFC 6376, section 3.6.1) and DMARC policies (RFC 7489, section 6.3).

/** Whether both publish the same key. Spaces, the order of tags and tags that say nothing about the key may differ. */
export function holdsSameKey(published: string, wanted: string): boolean {
  const key = readKey(published)
  return key !== null && key === readKey(wanted)
}

/** Whether receivers take it for a DMARC record, valid or not. */
export const isDmarcRecord = (text: string): boolean => /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text)

/** Without `p` it asks for reports only. */
export function isValidDmarcRecord(text: string): boolean {
  const tags = isDmarcRecord(text) ? parseTags(text) : null
  if (tags === null) return false
  const policy = tags.get('p')?.toLowerCase()
  return policy === undefined ? tags.has('rua') : POLICIES.includes(policy)
}

const POLICIES: readonly string[] = ['none', 'quarantine', 'reject']

/** The kind of the key and the key itself. Null if receivers cannot verify with it: it is malformed, revoked, or not for our hash or for email. */
function readKey(text: string): string | null {
  const tags = parseTags(text)
  if (tags === null) return null
  if (tags.has('v') && (tags.get('v') !== 'DKIM1' || [...tags.keys()][0] !== 'v')) return null
  const key = tags.get('p')?.replace(/\s+/g, '') ?? ''
  const isUsable = key !== '' && allows(tags.get('h'), ['sha256']) && allows(tags.get('s'), ['*', 'email'])
  return isUsable ? `${tags.get('k') ?? 'rsa'} ${key}` : null
}

/** A list with colons. If it is absent, everything is allowed. */
const allows = (list: string | undefined, anyOf: readonly string[]): boolean =>
  list === undefined || list.split(':').some((item) => anyOf.includes(item.trim()))

/** RFC 6376, section 3.2. Null if it is no list, or names a tag twice. */
function parseTags(text: string): Map<string, string> | null {
  const tags = new Map<string, string>()
  for (const part of text.split(';')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(at, 0)).trim()
    if (!/^[a-z][a-z\d_]*$/i.test(name) || tags.has(name)) return null
    tags.set(name, part.slice(at + 1).trim())
  }
  return tags
}
