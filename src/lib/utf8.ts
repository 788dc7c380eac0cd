import { isUtf8 } from 'node:buffer'

/** The bytes of a text, if there is one. */
export const utf8 = (text: string | Uint8Array | null): Uint8Array | null =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text

/** The text of the first bytes, in which a character that is cut becomes U+FFFD. A string is returned whole. */
export const textUpTo = (text: string | Uint8Array | null, bytesMax: number): string | null =>
  text instanceof Uint8Array ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(text.subarray(0, bytesMax)) : text

/** `valid`: characters beyond ASCII. `invalid`: places where a decoder puts U+FFFD. */
type Utf8Counts = { valid: number; invalid: number }

function utf8Counts(bytes: Uint8Array): Utf8Counts {
  const written = replacementCharacters(bytes)
  const counts = { valid: written, invalid: -written }
  for (const character of LENIENT.decode(bytes)) {
    if (character === '\ufffd') counts.invalid += 1
    else if (character > '\x7f') counts.valid += 1
  }
  return counts
}

/**
 * Whether it is UTF-8, perhaps with some bad bytes, and not an older encoding. In windows-1252, two adjacent bytes almost never form a character of
 * UTF-8, so nearly every character beyond ASCII is an invalid place.
 */
const isLikelyUtf8 = ({ valid, invalid }: Utf8Counts): boolean => valid >= invalid

/** The text of bytes of which no one said in what encoding they are. */
export const guessedText = (bytes: Uint8Array): string =>
  isUtf8(bytes) || isLikelyUtf8(utf8Counts(bytes)) ? utf8Text(bytes) : WINDOWS_1252.decode(bytes)

/** As the WHATWG Encoding standard decodes it: without a byte order mark, and with U+FFFD for what is invalid. */
export const utf8Text = (bytes: Uint8Array): string => LENIENT.decode(bytes)

const LENIENT = new TextDecoder('utf-8')
const WINDOWS_1252 = new TextDecoder('windows-1252')

/** U+FFFD that is written in the text itself. */
function replacementCharacters(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let count = 0
  for (let at = buffer.indexOf(REPLACEMENT); at !== -1; at = buffer.indexOf(REPLACEMENT, at + REPLACEMENT.length)) count += 1
  return count
}

const REPLACEMENT = Buffer.from('\ufffd')
