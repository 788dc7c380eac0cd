// Links in mail that change what a person gets. Credentials that may not change contacts see an example in their place.

/** The token of the example: its page says what it is, and changes nothing. */
export const EXAMPLE_TOKEN = 'example'

/** In an attribute without quotes and in conditional comments, all but letters and digits is escaped. Programs escape what they put into a link. */
const escaped = (characters: string, ...codes: string[]): string =>
  `(?:${characters}|&#(?:${codes.map((code) => `x0{0,4}${code}|0{0,4}${Number.parseInt(code, 16)}`).join('|')});|(?:%(?:25){0,3}|=)(?:${codes.join('|')}))`
const SLASH = escaped(String.raw`\\?/`, '2f')
const DOT = escaped(String.raw`\.`, '2e')
/** Programs that quote mail break long lines and words. */
const CHARACTER = String.raw`(?:=?\r?\n[>\t ]{0,8}|<wbr ?/?>)?${escaped(String.raw`[\w-]`, '2d', '5f')}`

/**
 * The path of such a link and its token, as text, in HTML and percent-encoded in another link. All lengths have an upper limit, so the search is linear.
 * A token is recognized by its form, because verifying each would be work for anyone who writes many.
 */
const PERSONAL_LINK = new RegExp(String.raw`(unsubscribe${SLASH})\d{1,9}${DOT}(?:${CHARACTER}){1,1800}${DOT}(?:${CHARACTER}){43}`, 'gi')

/** A link is this long if all its characters are escaped. */
export const PERSONAL_LINK_LENGTH_MAX = 16 * 1024

export const hasPersonalLink = (text: string): boolean => text.search(PERSONAL_LINK) !== -1

export const withoutPersonalLinks = (text: string): string => text.replace(PERSONAL_LINK, `$1${EXAMPLE_TOKEN}`)

/** Replaces the links in every text of a record, and in the keys of maps. Returns what has no such link unchanged. */
export function withoutPersonalLinksIn(value: unknown): unknown {
  if (typeof value === 'string') return withoutPersonalLinks(value)
  if (Array.isArray(value)) return value.map(withoutPersonalLinksIn)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [withoutPersonalLinks(key), withoutPersonalLinksIn(one)]))
}
