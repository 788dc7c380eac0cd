// Text out of the bytes of mail, one way for all places: bodies, header fields and the words in them, received and submitted.
import iconv from 'iconv-lite'
import { Libmime } from 'libmime'
import charsets from 'libmime/lib/charset.js'
import { guessedText, utf8Text } from '../lib/text.ts'

/**
 * What is declared to be UTF-8 is decoded as UTF-8, with U+FFFD for each bad byte. Only what declares no charset, or one that does not exist, is
 * guessed, and so are bytes beyond ASCII in what is declared to be ASCII. Never throws.
 *
 * @param charset as it stands there; false for none
 */
export function decodedText(bytes: Buffer, charset: string | false): string {
  const given = charset === false ? '' : charset.trim().slice(0, CHARSET_LENGTH_MAX)
  if (given === '') return guessedText(bytes)
  const name = charsets.normalizeCharset(given)
  if (ASCII.test(given)) return guessedText(bytes)
  if (name === 'UTF-8') return utf8Text(bytes)
  if (UTF_7.test(given)) return iconv.decode(bytes, 'utf-7')
  if (NO_CHARSETS.test(given.replace(NOT_OF_NAMES, ''))) return guessedText(bytes)
  return iconv.encodingExists(name) || READ_BY_LIBRARY.test(name) ? charsets.decode(bytes, name) : guessedText(bytes)
}

/**
 * The fields of a header, each decoded alone, so that a bad byte in one leaves the others as they are. A field declares no charset; RFC 6532,
 * section 3.2 says UTF-8.
 */
export function headText(bytes: Buffer): string {
  const head = bytes.toString('latin1')
  if (!BEYOND_ASCII.test(head)) return head
  return head
    .split(FIELD_END)
    .map((field) => (BEYOND_ASCII.test(field) ? guessedText(Buffer.from(field, 'latin1')) : field))
    .join('\n')
}

/**
 * A value with its encoded words (RFC 2047) decoded. What cannot be decoded stays as it is. A line end that was encoded is none: a header has one line,
 * also for those who copy it into another.
 */
export function decodedWords(value: string): string {
  if (!value.includes('=?')) return value
  try {
    return WORDS.decodeWords(value).replaceAll(LINE_ENDS, ' ')
  } catch {
    return value
  }
}

class Words extends Libmime {
  /** Characters that stand in a word unencoded were decoded with the field, and are not decoded again. */
  override decodeWord(charset: string, encoding: string, text: string): string {
    const [name = ''] = charset.split('*', 1)
    if (encoding.toUpperCase() === 'B') return decodedText(this.#bytesOf(encoding, text.replaceAll(NOT_ASCII, '')), name)
    return text
      .split(NOT_ASCII)
      .map((piece, at) => (at % 2 === 1 ? piece : decodedText(this.#bytesOf(encoding, piece), name)))
      .join('')
  }

  /** The library decodes a word whose charset is called "binary" byte by byte. */
  #bytesOf(encoding: string, text: string): Buffer {
    return Buffer.from(super.decodeWord('binary', encoding, text), 'latin1')
  }
}

const WORDS = new Words()

const CHARSET_LENGTH_MAX = 80
const ASCII = /^(?:(?:us-?)?ascii|ansi_x3\.4-19[68]+|iso646-us|7bit|8bit)$/i
const UTF_7 = /^(?:x-)?(?:unicode-[12]-[01]-)?utf-?7$/i
/** Encodings of the library that are not charsets, and what it ignores in a name. */
const NO_CHARSETS = /^(?:base64|hex|binary|utf7imap)$/i
const NOT_OF_NAMES = /:\d{4}$|[^0-9a-z]/gi
/** The library decodes these although its tables do not have them. */
const READ_BY_LIBRARY = /^jis|^iso-?2022-?jp|^eucjp/i
const BEYOND_ASCII = /[^\0-\x7f]/
const NOT_ASCII = /([^\0-\x7f]+)/g
const LINE_ENDS = /[\r\n]+/g
const FIELD_END = /\r?\n(?![ \t])/
