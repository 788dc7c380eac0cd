// Where in a URL a value stands, and how it is encoded there (RFC 3986, section 2.2; RFC 6068, section 2).

/**
 * `part`: a value of the query, a segment of the path, the fragment, or a header of `mailto:`. `address`: who a `mailto:`, `tel:` or `sms:` link leads
 * to. `rest`: all that follows `https://`, which is a URL without its scheme.
 */
export type UrlPlace = 'part' | 'address' | 'rest'

/** The place after this beginning of a URL. Null if it does not begin as URLs in mail do. */
export function urlPlace(before: string, isLast: boolean): UrlPlace | null {
  if (WITH_ADDRESS.test(before)) return before.includes('?') ? 'part' : 'address'
  const host = WITH_HOST.exec(before)
  if (!host) return null
  return isLast && host[0] === before ? 'rest' : 'part'
}

/**
 * Finds places in plain text that is read piece by piece. A URL there begins anywhere and ends at white space, a quote or an angle bracket. What its
 * author has put into a placeholder, or left out, does not hide its query. The time is linear in the length of the text.
 */
export function createUrlFinder(): { read: (piece: string) => void; placeBefore: (next: string) => UrlPlace | null } {
  let word = ''
  let url = ''
  return {
    read(piece) {
      const end = lastEnd(piece)
      if (end >= 0) word = url = ''
      const rest = piece.slice(end + 1)
      if (url === '') {
        word += rest
        const start = word.search(BEGINS_URL)
        if (start >= 0) url = word.slice(start)
        else word = word.slice(-SCHEME_LENGTH_MAX)
      } else url += rest
      // Only its beginning matters, and whether its query has begun.
      if (url.length > SCHEME_LENGTH_MAX) url = `${url.slice(0, SCHEME_LENGTH_MAX)}${url.includes('?') ? '?' : '.'}`
    },
    placeBefore: (next) => {
      if (url === '') return null
      return /^[?&]/.test(url) ? 'part' : urlPlace(url, next === '' || ENDS_URL.test(next.charAt(0)))
    },
  }
}

function lastEnd(text: string): number {
  let at = text.length - 1
  while (at >= 0 && !ENDS_URL.test(text.charAt(at))) at -= 1
  return at
}

/** At least as long as `https://`, and as the name of a parameter often is. */
const SCHEME_LENGTH_MAX = 64

/** A link in HTML may take the scheme of the page. */
const WITH_HOST = /^\s*(?:https?:)?\/\//i
const WITH_ADDRESS = /^\s*(?:mailto|tel|sms):/i
const BEGINS_URL = /(?<![a-z])(?:https?:\/\/|(?:mailto|tel|sms):)|[?&][\w.~%-]{1,62}=/i
const ENDS_URL = /[\s<>"]/

export function percentEncoded(place: UrlPlace, value: string): string {
  const text = value.toWellFormed()
  if (place === 'rest') return text.trim().replace(NOT_OF_URLS, encodeURIComponent)
  const encoded = encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  return place === 'address' ? encoded.replace(/%40/g, '@').replace(/%2B/g, '+') : encoded
}

const NOT_OF_URLS = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu
