import { type Problem, problem } from '../lib/problem.ts'
import { PIECE_LENGTH, type Work } from '../lib/work-in-pieces.ts'

/** The forms in which clients send a file: base64, an array of bytes, or a Node buffer as JSON shows it. */
export type AttachmentContent = string | readonly number[] | { type: 'Buffer'; data: readonly number[] }

/** One message with all its parts, attachments encoded. */
export const MESSAGE_BYTES_MAX = 40 * 1024 * 1024

/**
 * The bytes of a file. Base64 may be broken into lines, as mail programs do, may use either alphabet of RFC 4648, and may omit the padding, because
 * the length tells.
 */
export function* decodeContent(content: AttachmentContent): Work<Buffer | Problem> {
  if (typeof content === 'string') return yield* decodeBase64(content)
  return yield* decodeByteArray('data' in content ? content.data : content)
}

/** The size of a file of so many bytes in the message: base64 (RFC 2045, section 6.8) in lines of 76 characters, each with CRLF. */
export function encodedSize(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4
  return characters + Math.ceil(characters / 76) * 2
}

/** A byte takes up to four characters of JSON, and eight bytes of memory as a number. Larger files belong in base64. */
const BYTE_ARRAY_LENGTH_MAX = 5 * 1024 * 1024

const MALFORMED = problem('must be the file in base64 (RFC 4648), complete and without other characters')

function* decodeBase64(text: string): Work<Buffer | Problem> {
  if (/^data:/i.test(text)) return problem('must be the base64 alone, without `data:...;base64,` in front')
  const bytes = Buffer.allocUnsafe(Math.ceil(text.length / 4) * 3)
  let length = 0
  let padding = 0
  /** Digits of the piece before, fewer than four. */
  let digits = ''
  let isStandard = true
  let isUrlSafe = true
  for (let from = 0; from < text.length; from += PIECE_LENGTH) {
    const piece = text.slice(from, from + PIECE_LENGTH)
    yield piece.length
    const compact = /\s/.test(piece) ? piece.replace(/[ \t\r\n]+/g, '') : piece
    const end = padding > 0 ? 0 : compact.indexOf('=')
    const ending = end === -1 ? '' : compact.slice(end)
    padding += ending.length
    if (padding > 2 || ending.replaceAll('=', '') !== '') return MALFORMED
    digits += end === -1 ? compact : compact.slice(0, end)
    isStandard &&= !/[^A-Za-z0-9+/]/.test(digits)
    isUrlSafe &&= !/[^A-Za-z0-9_-]/.test(digits)
    if (!isStandard && !isUrlSafe) return MALFORMED
    const whole = digits.length - (digits.length % 4)
    length += bytes.write(digits.slice(0, whole), length, 'base64')
    digits = digits.slice(whole)
  }
  const isWhole = padding > 0 ? digits.length + padding === 4 : digits.length !== 1
  if (!isWhole) return MALFORMED
  const last = Buffer.from(digits, 'base64')
  if (hasUnusedBits(digits, last)) return MALFORMED
  length += last.copy(bytes, length)
  return bytes.subarray(0, length)
}

/** An encoder fills the last digit with zero bits. Other bits are a sign of damage. */
const hasUnusedBits = (lastDigits: string, lastBytes: Buffer): boolean =>
  lastBytes.toString('base64').slice(0, lastDigits.length) !== lastDigits.replaceAll('-', '+').replaceAll('_', '/')

function* decodeByteArray(values: readonly number[]): Work<Buffer | Problem> {
  if (values.length > BYTE_ARRAY_LENGTH_MAX) {
    return problem(`may hold at most ${BYTE_ARRAY_LENGTH_MAX} bytes as an array: send larger files in base64`)
  }
  const bytes = Buffer.allocUnsafe(values.length)
  for (const [index, value] of values.entries()) {
    if (index % PIECE_LENGTH === 0) yield Math.min(PIECE_LENGTH, values.length - index)
    // The buffer returns another value if this one is not a whole number from 0 to 255.
    bytes[index] = value
    if (bytes[index] !== value) return problem(`must be bytes, whole numbers from 0 to 255; item ${index} is not`)
  }
  return bytes
}
