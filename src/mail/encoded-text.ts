// Computes the size of a text in a message without encoding it, because the size of a message is checked before anything is stored.
import { PIECE_LENGTH, type Work } from '../lib/work-in-pieces.ts'
import { encodedSize } from './attachment-content.ts'

/** RFC 2045, section 6.7: a line of quoted-printable has at most 76 characters. A longer line continues after `=` and a line break. */
const LINE_LENGTH_MAX = 76
const SOFT_BREAK_LENGTH = 3
/** The encoder breaks a line after a space or a punctuation mark if there is one within this distance of its end. */
const BREAK_LOOKED_FOR = 25
/** The composer encodes longer texts, whatever their lines are like. */
const UNENCODED_LENGTH_MAX = 128 * 1024

/**
 * Bytes of a body as `mime.ts` encodes it, to about one percent: unchanged if it is ASCII in short lines, otherwise quoted-printable, or base64 if
 * most of its letters are not Latin.
 */
export function* encodedTextSize(text: string): Work<number> {
  let counts: Counts = {
    at: 0,
    quotedBytes: 0,
    plainBytes: 0,
    latin: 0,
    foreign: 0,
    line: 0,
    longestLine: 0,
    column: 0,
    afterBreakable: 0,
    isSpaceBefore: false,
  }
  while (counts.at < text.length) {
    const to = Math.min(counts.at + PIECE_LENGTH, text.length)
    yield to - counts.at
    counts = counted(text, to, counts)
  }
  const { quotedBytes, plainBytes, latin, foreign, line, longestLine } = counts
  const hasLongLines = text.length > UNENCODED_LENGTH_MAX || line > LINE_LENGTH_MAX || longestLine > LINE_LENGTH_MAX
  if (foreign === 0 && !hasLongLines) return plainBytes
  return foreign < latin ? quotedBytes : encodedSize(plainBytes)
}

/** What was counted before `at`. */
type Counts = {
  at: number
  quotedBytes: number
  plainBytes: number
  latin: number
  foreign: number
  line: number
  longestLine: number
  column: number
  afterBreakable: number
  isSpaceBefore: boolean
}

/** Not part of the generator, in which a loop takes twice as long. */
function counted(text: string, to: number, before: Counts): Counts {
  let { at, quotedBytes, plainBytes, latin, foreign, line, longestLine, column, afterBreakable, isSpaceBefore } = before
  for (; at < to; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || code === 0x0d) {
      if (code === 0x0d && text.charCodeAt(at + 1) === 0x0a) at += 1
      // A space at the end of a line is escaped, because servers on the way may remove it.
      quotedBytes += isSpaceBefore ? 4 : 2
      plainBytes += 2
      if (line > longestLine) longestLine = line
      line = 0
      column = 0
      afterBreakable = LINE_LENGTH_MAX
      isSpaceBefore = false
      continue
    }
    const bytes = code < 0x80 ? 1 : code < 0x800 || (code & 0xf800) === 0xd800 ? 2 : 3
    const isLiteral = (code >= 0x20 && code < 0x7f && code !== 0x3d) || code === 0x09
    const width = isLiteral ? 1 : bytes * 3
    if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)) latin += 1
    else if (code >= 0x80 || (code < 0x20 && code !== 0x09)) foreign += 1
    plainBytes += bytes
    line += 1
    if (column + width > LINE_LENGTH_MAX - 1) {
      quotedBytes += SOFT_BREAK_LENGTH
      column = afterBreakable < BREAK_LOOKED_FOR ? afterBreakable : 0
    }
    quotedBytes += width
    column += width
    isSpaceBefore = code === 0x20 || code === 0x09
    const isBreakable = isSpaceBefore || code === 0x2e || code === 0x2c || code === 0x21 || code === 0x3f
    afterBreakable = isBreakable ? 0 : afterBreakable + width
  }
  return { at, quotedBytes, plainBytes, latin, foreign, line, longestLine, column, afterBreakable, isSpaceBefore }
}
