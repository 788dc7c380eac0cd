// Which certificate authorities CAA records permit (RFC 8659).

/** Whether the records, in the form `0 issue "letsencrypt.org"`, let the authority of the wanted one issue certificates. */
export function permitsIssuer(published: readonly string[], wanted: string): boolean {
  const properties = published.map(parseProperty).filter((property) => property !== null)
  // An authority may not ignore what it does not know here (section 4.1).
  if (properties.some(({ isCritical, tag }) => isCritical && !TAGS.includes(tag))) return false
  const permissions = properties.filter(({ tag }) => tag === 'issue')
  // Properties that concern other things permit everyone (section 4.2).
  if (permissions.length === 0) return true
  const { issuer } = permissionOf(parseProperty(wanted)?.value ?? '')
  return permissions.some(({ value }) => {
    const permission = permissionOf(value)
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
function permissionOf(value: string): { issuer: string; parameters: string[] } {
  const [issuer = '', ...parameters] = value.toLowerCase().split(';')
  return { issuer: issuer.trim(), parameters: parameters.map((parameter) => parameter.split('=', 1)[0]?.trim() ?? '') }
}
