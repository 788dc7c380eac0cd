// Finds the encoding of a text file as it arrives, and decodes it: UTF-16 by its mark, UTF-8 by its mark or its characters, and otherwise
// windows-1252, which spreadsheets write. A file in UTF-8 may have some bad bytes, which the decoder marks in the text.
import { isAscii, isUtf8 } from 'node:buffer'
import { invalid } from '../failure.ts'
import { isLikelyUtf8, unfinishedBytes, utf8Counts } from '../text.ts'

export const TEXT_ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const
export type TextEncoding = (typeof TEXT_ENCODINGS)[number]

export type EncodingGuess = {
  /** @throws Failure as soon as it is clear that the file is no readable text. */
  see(chunk: Buffer): void
  /** After the last chunk, or after as much as is known. */
  encoding(): TextEncoding
}

export type ChunkDecoder = {
  push(chunk: Buffer): string
  end(): string
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const UTF16_MARKS = { 'utf-16le': Buffer.from([0xff, 0xfe]), 'utf-16be': Buffer.from([0xfe, 0xff]) } as const

/** @param what names the file in the sentences, such as "The `file` field". */
export function createEncodingGuess(what: string): EncodingGuess {
  let start: Buffer = Buffer.alloc(0)
  /** The beginning of a character that the next chunk completes. */
  let tail: Buffer = Buffer.alloc(0)
  const counts = { valid: 0, invalid: 0 }

  function count(bytes: Buffer): void {
    if (isAscii(bytes)) return
    const { valid, invalid: bad } = utf8Counts(bytes)
    counts.valid += valid
    counts.invalid += bad
  }

  return {
    see(chunk) {
      if (start.length < UTF8_MARK.length) start = Buffer.concat([start, chunk.subarray(0, UTF8_MARK.length - start.length)])
      if (utf16In(start) !== null) return
      if (chunk.includes(0)) throw invalid(`${what} is not a text file: it holds NUL bytes. Save it as CSV in UTF-8.`)
      const { whole, rest } = cut(tail, chunk)
      count(whole)
      tail = rest
    },
    encoding() {
      const utf16 = utf16In(start)
      if (utf16 !== null) return utf16
      if (start.equals(UTF8_MARK)) return 'utf-8'
      return isLikelyUtf8({ valid: counts.valid, invalid: counts.invalid + (tail.length > 0 ? 1 : 0) }) ? 'utf-8' : 'windows-1252'
    },
  }
}

const utf16In = (start: Buffer): TextEncoding | null =>
  (['utf-16le', 'utf-16be'] as const).find((encoding) => start.subarray(0, 2).equals(UTF16_MARKS[encoding])) ?? null

/** The text is without a byte order mark. It has a mark for each place whose bytes are no character, which `badByteIn` finds. */
export function createTextDecoder(encoding: TextEncoding): ChunkDecoder {
  if (encoding === 'windows-1252') {
    // Every byte is a character.
    const decoder = new TextDecoder(encoding)
    return { push: (chunk) => decoder.decode(chunk), end: () => '' }
  }
  return encoding === 'utf-8' ? createUtf8Decoder() : createUtf16Decoder(encoding === 'utf-16be')
}

function createUtf8Decoder(): ChunkDecoder {
  let tail: Buffer = Buffer.alloc(0)
  /** Where the next bytes are in the file. */
  let offset = 0
  const withoutBom = createBomRemover()

  function decode(bytes: Buffer): string {
    const text = isUtf8(bytes) ? bytes.toString('utf8') : markedText(bytes, offset)
    offset += bytes.length
    return withoutBom(text)
  }

  return {
    push(chunk) {
      const { whole, rest } = cut(tail, chunk)
      tail = rest
      return decode(whole)
    },
    end() {
      const last = tail
      tail = Buffer.alloc(0)
      return decode(last)
    },
  }
}

/** Bad bytes that are next to each other get one mark, so that the text stays short. */
function markedText(bytes: Buffer, offset: number): string {
  const parts: string[] = []
  let at = 0
  let isMarked = false
  utf8Counts(bytes, (from, to) => {
    if (from > at || !isMarked) parts.push(bytes.toString('utf8', at, from), markOf(offset + from))
    isMarked = true
    at = to
  })
  return parts.join('') + bytes.toString('utf8', at)
}

/** Cut before a character that is not whole. */
function cut(tail: Buffer, chunk: Buffer): { whole: Buffer; rest: Buffer } {
  const bytes = tail.length > 0 ? Buffer.concat([tail, chunk]) : chunk
  const whole = bytes.length - unfinishedBytes(bytes)
  return { whole: bytes.subarray(0, whole), rest: Buffer.from(bytes.subarray(whole)) }
}

function createUtf16Decoder(isBigEndian: boolean): ChunkDecoder {
  let tail: Buffer = Buffer.alloc(0)
  let offset = 0
  const withoutBom = createBomRemover()

  /** An even number of bytes. */
  function decode(bytes: Buffer): string {
    const text = (isBigEndian ? Buffer.from(bytes).swap16() : bytes).toString('utf16le')
    const from = offset
    offset += bytes.length
    return withoutBom(text.replace(BAD_UTF16, (_bad, at: number) => markOf(from + 2 * at)))
  }

  return {
    push(chunk) {
      const bytes = tail.length > 0 ? Buffer.concat([tail, chunk]) : chunk
      const even = bytes.length - (bytes.length % 2)
      // The first half of a pair waits for the second.
      const isHalf = even > 0 && ((bytes[isBigEndian ? even - 2 : even - 1] ?? 0) & 0xfc) === 0xd8
      const whole = isHalf ? even - 2 : even
      tail = Buffer.from(bytes.subarray(whole))
      return decode(bytes.subarray(0, whole))
    },
    end: () => (tail.length > 0 ? markOf(offset) : ''),
  }
}

/** A half of a pair alone, and NUL, which the database does not store. */
const BAD_UTF16 = /[\p{Surrogate}\0]/gu

function createBomRemover(): (text: string) => string {
  let isAtStart = true
  return (text) => {
    if (!isAtStart || text === '') return text
    isAtStart = false
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }
}

/** No decoded text has such characters: they are second halves of pairs, without first halves. Each carries ten bits of the offset. */
const MARK_LENGTH = 5
const MARK_FROM = 0xdc00
const MARK_BASE = 0x400
const MARK = new RegExp(`[\\udc00-\\udfff]{${MARK_LENGTH}}`, 'u')

function markOf(offset: number): string {
  let mark = ''
  for (let left = offset; mark.length < MARK_LENGTH; left = Math.floor(left / MARK_BASE))
    mark = String.fromCharCode(MARK_FROM + (left % MARK_BASE)) + mark
  return mark
}

/** The offset in the file of the first byte that could not be decoded, counted from 0. Null if there is none. */
export function badByteIn(text: string): number | null {
  if (text.isWellFormed()) return null
  const [mark] = MARK.exec(text) ?? []
  if (mark === undefined) return null
  let offset = 0
  for (let at = 0; at < MARK_LENGTH; at += 1) offset = offset * MARK_BASE + (mark.charCodeAt(at) - MARK_FROM)
  return offset
}
