import { hash, randomBytes, randomInt } from 'node:crypto'

/** `re_`, 8 characters, `_`, 24 characters of base58: 187 random bits. The official command line requires `re_`. */
export const createApiToken = (): string => `re_${randomBase58(8)}_${randomBase58(24)}`

/** What is stored of a token: its SHA-256 in lower-case hex. It needs no salt and no stretching, because tokens cannot be guessed. */
export const digestOf = (token: string): string => hash('sha256', token)

/** Whether a text can be an API token, checked before anything is hashed or looked up. An operator's own first key is accepted too. */
export const isApiToken = (text: string): boolean => text.length <= API_TOKEN_LENGTH_MAX && API_TOKEN.test(text)

export const KEY_NOT_VALID = 'This API key is not valid. It may have been deleted.'

/** Far longer than any real token, so that a header of many kilobytes is never hashed. */
const API_TOKEN_LENGTH_MAX = 256

/** At least 24 visible ASCII characters, as the configuration requires of an operator's own key. */
const API_TOKEN = /^re_[\x21-\x7e]{21,}$/

/** Without 0, O, I and l, which look alike. */
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const randomBase58 = (length: number): string => Array.from({ length }, () => BASE58.charAt(randomInt(BASE58.length))).join('')

/** For a link that signs in once, and for a session: 256 random bits in characters that need no escaping in a URL or a cookie. */
export const createSignInSecret = (): string => randomBytes(32).toString('base64url')

/** What the DNS record of a claim holds: 128 random bits. */
export const createClaimToken = (): string => randomBytes(16).toString('hex')
