// Finds the encoding of a text file as it arrives: UTF-8 if all of it is valid, and otherwise windows-1252, which spreadsheets write.
import { isUtf8 } from 'node:buffer'
import { invalid } from '../failure.ts'

export type TextEncoding = 'utf-8' | 'windows-1252'

export type EncodingGuess = {
  /** @throws Failure as soon as it is clear that the file is no readable text. */
  see(chunk: Buffer): void
  /** After the last chunk. @throws Failure */
  encoding(): TextEncoding
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]

/** @param what names the file in the sentences, such as "The `file` field". */
export function createEncodingGuess(what: string): EncodingGuess {
  let start: Buffer = Buffer.alloc(0)
  /** The beginning of a character that the next chunk completes. */
  let tail: Buffer = Buffer.alloc(0)
  let canBeUtf8 = true

  return {
    see(chunk) {
      if (start.length < UTF8_MARK.length) {
        start = Buffer.concat([start, chunk.subarray(0, UTF8_MARK.length - start.length)])
        if (UTF16_MARKS.some((mark) => start.subarray(0, mark.length).equals(mark)))
          throw invalid(`${what} is encoded in UTF-16: save it as CSV in UTF-8.`)
      }
      if (chunk.includes(0)) throw invalid(`${what} is not a text file: it holds NUL bytes. Save it as CSV in UTF-8.`)
      if (!canBeUtf8) return
      const bytes = tail.length > 0 ? Buffer.concat([tail, chunk]) : chunk
      const whole = bytes.length - unfinishedBytes(bytes)
      canBeUtf8 = isUtf8(bytes.subarray(0, whole))
      tail = Buffer.from(bytes.subarray(whole))
    },
    encoding() {
      if (canBeUtf8 && tail.length === 0) return 'utf-8'
      if (start.equals(UTF8_MARK))
        throw invalid(`${what} begins with the mark of UTF-8, but is not valid UTF-8 all through. Save it as CSV in UTF-8.`)
      return 'windows-1252'
    },
  }
}

/** How many bytes at the end begin a UTF-8 character without completing it (RFC 3629, section 3). */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}
