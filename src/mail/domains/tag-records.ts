// TXT records that are lists of tags: DKIM keys (RFC 6376, section 3.6.1) and DMARC policies (RFC 7489, section 6.3).

/** Whether both publish the same key. Spaces, the order of tags and tags that say nothing about the key may differ. */
export function holdsSameKey(published: string, wanted: string): boolean {
  const key = keyOf(published)
  return key !== null && key === keyOf(wanted)
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
function keyOf(text: string): string | null {
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
