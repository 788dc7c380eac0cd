// What a program says about itself when it is registered (RFC 7591), or in its metadata document. Only what is known here is kept.
import leven from 'leven'
import { isPlainLine, isVisible } from '../../lib/text.ts'

// What a program may call itself: one line of text that shows what it is, and that cannot be read as our name or that of another.

export const CLIENT_NAME_LENGTH_MAX = 200
const OURS = 'posthaste'
/** Characters that reorder what stands beside them, or that begin a new line. */
/** Characters that are not seen. Joiners of scripts that need them, and pictures, are judged by what stands beside them. */
const UNSEEN = /[[\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u200c\u200d\ufe0f]]/v
const JOINED_FOR_NOTHING =
  /(?:^|[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{Nd}\s])[\u200c\u200d]|[\u200c\u200d](?:[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{Nd}\s]|$)/u
/** Scripts with letters that look like those of another (UTS 39, section 5): a word has those of one. */
const ALIKE = [/\p{sc=Latin}/u, /\p{sc=Greek}/u, /\p{sc=Cyrillic}/u, /\p{sc=Armenian}/u, /\p{sc=Cherokee}/u]

/** For each letter of our name, what looks like it in lower case (confusables of UTS 39), and the digits that stand for it. */
const LOOK_ALIKES: Record<string, string> = {
  p: 'рρƿþᴘⲣꮲ',
  o: 'оο0ᴏօσөⲟøº°',
  s: 'ѕꜱ5$ʂƽꮪ§',
  t: 'тτ7ᴛŧƫⲧꭲ+†',
  h: 'һհнηʜħⲏꮋ',
  a: 'аαɑ4@ᴀⲁꭺ',
  e: 'еεєэҽɛ3ᴇ℮ꭼⲉ',
}
const LETTER_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, alike]) => [...alike].map((each): [string, string] => [each, letter])),
)

/** What is wrong with a name, as a sentence; null: nothing. */
export function clientNameProblem(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return 'Missing `client_name`.'
  if (name.length > CLIENT_NAME_LENGTH_MAX) return `\`client_name\` must have at most ${CLIENT_NAME_LENGTH_MAX} characters.`
  if (!isPlainLine(name) || UNSEEN.test(name) || JOINED_FOR_NOTHING.test(name) || !isVisible(name) || !name.isWellFormed())
    return '`client_name` must be one line of visible text.'
  if (splitWords(name).some((word) => ALIKE.filter((script) => script.test(word)).length > 1))
    return '`client_name` must not mix scripts in a word whose letters look alike.'
  return isLikeOurs(name) ? '`client_name` must not contain the name of this service, or look like it.' : null
}

/** Signs in between and one other letter do not make another name. */
function isLikeOurs(name: string): boolean {
  const words = name.normalize('NFKD').toLowerCase().split(/\s+/u).map(plain)
  const whole = words.join('')
  return whole.includes(OURS) || [...words, whole].some((word) => leven(word, OURS) <= 1)
}

const plain = (word: string): string =>
  [...word]
    .map((letter) => LETTER_OF.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}]/gu, '')

const splitWords = (name: string): string[] => name.match(/[\p{L}\p{M}]+/gu) ?? []

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

export type ClientMetadata = {
  client_name: string
  redirect_uris: string[]
  application_type: 'native' | 'web'
  grant_types: string[]
  response_types: string[]
  token_endpoint_auth_method: string
  scope?: string
  client_uri?: string
  logo_uri?: string
}

/** RFC 7591, section 3.2.2. */
export type MetadataProblem = { error: 'invalid_client_metadata' | 'invalid_redirect_uri'; error_description: string }

const REDIRECT_URIS_MAX = 10
const GRANT_TYPES = ['authorization_code', 'refresh_token']
const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post']

/** @param scopes those that can be asked for */
export function readClientMetadata(given: unknown, scopes: readonly string[]): ClientMetadata | MetadataProblem {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return invalid('The metadata must be a JSON object.')
  const fields = given as Record<string, unknown>
  const problem = nameProblem(fields.client_name) ?? redirectProblem(fields.redirect_uris) ?? otherProblem(fields, scopes)
  if (problem) return problem
  const redirectUris = fields.redirect_uris as string[]
  return {
    client_name: String(fields.client_name),
    redirect_uris: redirectUris,
    application_type: redirectUris.some(isOwnMachine) ? 'native' : 'web',
    grant_types: (fields.grant_types as string[] | undefined) ?? GRANT_TYPES,
    response_types: ['code'],
    token_endpoint_auth_method: String(fields.token_endpoint_auth_method ?? 'client_secret_basic'),
    ...(typeof fields.scope === 'string' && fields.scope !== '' && { scope: fields.scope }),
    ...(typeof fields.client_uri === 'string' && { client_uri: fields.client_uri }),
    ...(typeof fields.logo_uri === 'string' && { logo_uri: fields.logo_uri }),
  }
}

export const isProblem = (read: ClientMetadata | MetadataProblem): read is MetadataProblem => 'error' in read

function nameProblem(name: unknown): MetadataProblem | null {
  const problem = clientNameProblem(name)
  return problem === null ? null : invalid(problem)
}

function redirectProblem(uris: unknown): MetadataProblem | null {
  if (!Array.isArray(uris) || uris.length === 0) return refusedUri('Missing `redirect_uris`.')
  if (uris.length > REDIRECT_URIS_MAX) return refusedUri(`\`redirect_uris\` must have at most ${REDIRECT_URIS_MAX} entries.`)
  for (const uri of uris) {
    const problem = typeof uri === 'string' ? redirectUriProblem(uri) : 'must be text'
    if (problem !== null) return refusedUri(`Each entry of \`redirect_uris\` ${problem}.`)
  }
  return null
}

function otherProblem(fields: Record<string, unknown>, scopes: readonly string[]): MetadataProblem | null {
  const { grant_types: grants, response_types: responses, token_endpoint_auth_method: method, scope } = fields
  if (grants !== undefined && !isListOf(grants, GRANT_TYPES)) return invalid(`\`grant_types\` must be among: ${GRANT_TYPES.join(', ')}.`)
  if (Array.isArray(grants) && !grants.includes('authorization_code')) return invalid('`grant_types` must have `authorization_code`.')
  if (responses !== undefined && !(isListOf(responses, ['code']) && responses.length === 1))
    return invalid('`response_types` must be `["code"]`.')
  if (method !== undefined && !AUTH_METHODS.includes(String(method)))
    return invalid(`\`token_endpoint_auth_method\` must be one of: ${AUTH_METHODS.join(', ')}.`)
  if (scope !== undefined && typeof scope !== 'string') return invalid('`scope` must be text.')
  const unknown = (scope ?? '').split(' ').find((word) => word !== '' && !scopes.includes(word))
  if (unknown !== undefined) return invalid('`scope` has a scope that does not exist.')
  return webAddressProblem('client_uri', fields.client_uri) ?? webAddressProblem('logo_uri', fields.logo_uri)
}

function webAddressProblem(name: string, uri: unknown): MetadataProblem | null {
  if (uri === undefined) return null
  const parsed = typeof uri === 'string' && uri.length <= REDIRECT_URI_LENGTH_MAX && /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null
  return parsed && (parsed.protocol === 'https:' || parsed.protocol === 'http:')
    ? null
    : invalid(`\`${name}\` must be the URL of a web page.`)
}

const isListOf = (value: unknown, allowed: string[]): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' && allowed.includes(entry))

const invalid = (description: string): MetadataProblem => ({ error: 'invalid_client_metadata', error_description: description })
const refusedUri = (description: string): MetadataProblem => ({ error: 'invalid_redirect_uri', error_description: description })

// Which client a request says that it comes from, before anything proves it. For limits only.

/** An id is a UUID or a URL. What is longer is counted by its beginning. */
const LENGTH_MAX = 256

/** Null if it names none. `body`: a form or JSON. */
export function statedClient({ authorization = '', body }: { authorization?: string | undefined; body: string }): string | null {
  const stated = clientInBasic(authorization) ?? clientInJson(body) ?? new URLSearchParams(body).get('client_id')
  return stated ? stated.slice(0, LENGTH_MAX) : null
}

function clientInBasic(authorization: string): string | null {
  const [scheme = '', credentials = ''] = authorization.split(' ', 2)
  if (scheme.toLowerCase() !== 'basic') return null
  const [user = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)
  return user === '' ? null : user
}

function clientInJson(body: string): string | null {
  if (!body.startsWith('{')) return null
  try {
    const { client_id: id } = JSON.parse(body) as { client_id?: unknown }
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}
