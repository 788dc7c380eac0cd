import { type Problem, problem } from '../lib/problem.ts'

/** The forms in which clients send a file: base64, an array of bytes, or a Node buffer as JSON shows it. */
export type AttachmentContent = string | readonly number[] | { type: 'Buffer'; data: readonly number[] }

/** One message with all its parts, attachments encoded. */
export const MESSAGE_BYTES_MAX = 40 * 1024 * 1024

/**
 * The bytes of a file. Base64 may be broken into lines, as mail programs do, may use either alphabet of RFC 4648, and may omit the padding, because
 * the length tells.
 */
export function decodeContent(content: AttachmentContent): Buffer | Problem {
  if (typeof content === 'string') return decodeBase64(content)
  return decodeByteArray('data' in content ? content.data : content)
}

/** The size of a file of so many bytes in the message: base64 (RFC 2045, section 6.8) in lines of 76 characters, each with CRLF. */
export function encodedSize(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4
  return characters + Math.ceil(characters / 76) * 2
}

/** A byte takes up to four characters of JSON, and eight bytes of memory as a number. Larger files belong in base64. */
const BYTE_ARRAY_LENGTH_MAX = 5 * 1024 * 1024

const MALFORMED = problem('must be the file in base64 (RFC 4648), complete and without other characters')

function decodeBase64(text: string): Buffer | Problem {
  if (/^data:/i.test(text)) return problem('must be the base64 alone, without `data:...;base64,` in front')
  const compact = /\s/.test(text) ? text.replace(/[ \t\r\n]+/g, '') : text
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  const digits = padding === 0 ? compact : compact.slice(0, -padding)
  const isOneAlphabet = !/[^A-Za-z0-9+/]/.test(digits) || !/[^A-Za-z0-9_-]/.test(digits)
  const isWhole = padding > 0 ? compact.length % 4 === 0 : digits.length % 4 !== 1
  if (!isOneAlphabet || !isWhole) return MALFORMED
  const bytes = Buffer.from(digits, 'base64')
  return hasUnusedBits(digits, bytes) ? MALFORMED : bytes
}

/** An encoder fills the last digit with zero bits. Other bits are a sign of damage. */
function hasUnusedBits(digits: string, bytes: Buffer): boolean {
  const lastDigits = digits
    .slice(digits.length - (digits.length % 4))
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  if (lastDigits === '') return false
  const lastBytes = bytes.subarray(bytes.length - (lastDigits.length - 1))
  return lastBytes.toString('base64').slice(0, lastDigits.length) !== lastDigits
}

function decodeByteArray(values: readonly number[]): Buffer | Problem {
  if (values.length > BYTE_ARRAY_LENGTH_MAX) {
    return problem(`may hold at most ${BYTE_ARRAY_LENGTH_MAX} bytes as an array: send larger files in base64`)
  }
  const bytes = Buffer.allocUnsafe(values.length)
  for (const [index, value] of values.entries()) {
    // The buffer returns another value if this one is not a whole number from 0 to 255.
    bytes[index] = value
    if (bytes[index] !== value) return problem(`must be bytes, whole numbers from 0 to 255; item ${index} is not`)
  }
  return bytes
}
