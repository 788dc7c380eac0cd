import { isUtf8 } from 'node:buffer'

/** What JavaScript calls white space, for PostgreSQL, whose own notion depends on the locale of the database. */
export const WHITE_SPACE =
  '\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** Whether a value counts as empty, wherever that is asked: in fallbacks, rules and filters. A text of white space alone shows nothing. */
export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

const COPY = ' (copy)'

/** The name of the copy of something. Its end is cut if there is no room. */
export const nameOfCopy = (name: string, lengthMax: number): string => name.slice(0, lengthMax - COPY.length).toWellFormed() + COPY

/**
 * Text from strangers as PostgreSQL and JSON can keep it: without NUL and lone surrogates.
 *
 * @param nul what stands for a NUL
 */
export const storable = (text: string, { nul = '' } = {}): string => text.replaceAll('\0', nul).toWellFormed()

/** Makes the text storable, and cuts it to at most so many characters. */
export const storableText = (text: string, lengthMax: number): string =>
  Array.from(text.slice(0, lengthMax * UNITS_PER_CHARACTER_MAX).replaceAll('\0', ''))
    .slice(0, lengthMax)
    .join('')
    .toWellFormed()

const UNITS_PER_CHARACTER_MAX = 2

/** The bytes of a text, if there is one. */
export const utf8 = (text: string | Uint8Array | null): Uint8Array | null =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text

/** The text of the first bytes, in which a character that is cut becomes U+FFFD. A string is returned whole. */
export const textUpTo = (text: string | Uint8Array | null, bytesMax: number): string | null =>
  text instanceof Uint8Array ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(text.subarray(0, bytesMax)) : text

/** `valid`: characters beyond ASCII. `invalid`: places where a decoder puts U+FFFD. */
export type Utf8Counts = { valid: number; invalid: number }

/**
 * Counts the characters of UTF-8 (RFC 3629, section 4). A character that breaks off is one invalid place, as it is for decoders (WHATWG Encoding).
 * @param onInvalid gets the place of the bytes that form no character
 */
export function utf8Counts(bytes: Uint8Array, onInvalid?: (from: number, to: number) => void): Utf8Counts {
  const counts = { valid: 0, invalid: 0 }
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0
    const from = at
    at += 1
    if (lead < 0x80) continue
    const length = lengthAfter(lead)
    if (length > 1 && isSecond(lead, bytes[at])) {
      at += 1
      while (at < from + length && isContinuation(bytes[at])) at += 1
    }
    if (length > 1 && at === from + length) counts.valid += 1
    else {
      counts.invalid += 1
      onInvalid?.(from, at)
    }
  }
  return counts
}

/** How many bytes a character takes that begins with this one; 1 for a byte that begins none. */
const lengthAfter = (lead: number): number => (lead >= 0xf5 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1)

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80 && byte <= 0xbf

/** The second byte has a narrower range after some first bytes, which excludes overlong forms, surrogates and what is beyond Unicode. */
const isSecond = (lead: number, byte: number | undefined): boolean =>
  byte !== undefined &&
  byte >= (lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80) &&
  byte <= (lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf)

/** How many bytes at the end begin a character without completing it. */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    return lengthAfter(byte) > back ? back : 0
  }
  return 0
}

/**
 * Whether it is UTF-8, perhaps with some bad bytes, and not an older encoding. In windows-1252, two adjacent bytes almost never form a character of
 * UTF-8, so nearly every character beyond ASCII is an invalid place.
 */
export const isLikelyUtf8 = ({ valid, invalid }: Utf8Counts): boolean => valid >= invalid

/** The text of bytes of which no one said in what encoding they are. */
export const guessedText = (bytes: Uint8Array): string =>
  isUtf8(bytes) || isLikelyUtf8(utf8Counts(bytes)) ? utf8Text(bytes) : WINDOWS_1252.decode(bytes)

/** As the WHATWG Encoding standard decodes it: without a byte order mark, and with U+FFFD for what is invalid. */
export const utf8Text = (bytes: Uint8Array): string => LENIENT.decode(bytes)

const LENIENT = new TextDecoder('utf-8')
const WINDOWS_1252 = new TextDecoder('windows-1252')

// Text that leaves a mark on a page. Spaces and control characters do not, and neither do characters that only join, direct or fill (U+200B,
// U+3164, U+2800).
const MARK = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

export const isVisible = (text: string): boolean => MARK.test(text)

// Control characters, line separators, and marks that turn the direction of writing: what follows could be read as something else.
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Whether it is one line that reads as it is written, as a name has to be that others see. */
export const isPlainLine = (text: string): boolean => !MISLEADING.test(text)

/** The text as such a line: a space stands for what misleads. */
export const plainLine = (text: string): string => text.replace(new RegExp(`${MISLEADING.source}+`, 'gu'), ' ').trim()
