// Where a program may be answered (RFC 8252, RFC 9700): https anywhere, http on its own machine, or a scheme of its own.

export const REDIRECT_URI_LENGTH_MAX = 2_048

/** Schemes that a browser acts on by itself, or that lead to no program. */
const REFUSED_SCHEMES = new Set(
  (
    'about blob chrome data file filesystem ftp intent jar javascript mailto sms tel vbscript view-source ws wss ' +
    // Other sites may answer these (the safelisted schemes of HTML).
    'bitcoin ftps geo im irc ircs magnet matrix mms news nntp openpgp4fpr sftp sip smsto ssh urn webcal wtai xmpp'
  )
    .split(' ')
    .map((name) => `${name}:`),
)
/** Schemes of the web (any site may answer `web+`) and of Windows (`ms-` and `search-ms` start its own programs). */
const REFUSED_SCHEME = /^(?:web\+|ms-|search(?:-ms)?:)/
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

/** What is wrong with an address, to follow its name; null: nothing. */
export function redirectUriProblem(uri: string): string | null {
  if (uri.length > REDIRECT_URI_LENGTH_MAX) return `must have at most ${REDIRECT_URI_LENGTH_MAX} characters`
  // A URL parser removes or changes what is not visible ASCII, so that another address would be compared than is opened.
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'must be of visible ASCII characters'
  const parsed = URL.parse(uri)
  if (parsed === null) return 'must be a complete URL'
  if (uri.includes('#')) return 'must not have a fragment'
  if (parsed.username !== '' || parsed.password !== '') return 'must not have a user or a password'
  if (parsed.protocol === 'http:' && !LOOPBACK_HOSTS.has(parsed.hostname)) return 'must use https unless it leads to the same machine'
  if (parsed.protocol === 'https:' && LOOPBACK_HOSTS.has(parsed.hostname)) return 'must use http on the same machine'
  return REFUSED_SCHEMES.has(parsed.protocol) || REFUSED_SCHEME.test(parsed.protocol) ? `must not use \`${parsed.protocol}\`` : null
}

/** Whether only a program on the person's own machine can be answered there. */
export function isOwnMachine(uri: string): boolean {
  const parsed = URL.parse(uri)
  if (parsed === null) return false
  return parsed.protocol === 'http:' ? LOOPBACK_HOSTS.has(parsed.hostname) : parsed.protocol !== 'https:'
}
