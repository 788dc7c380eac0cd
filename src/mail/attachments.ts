// Computes the size of a text in a message without encoding it, because the size of a message is checked before anything is stored.
import { lookup } from 'mime-types'
import { PIECE_LENGTH, type Work } from '../lib/main-thread.ts'
import { type Problem, problem } from '../lib/problem.ts'
import { storableText } from '../lib/text.ts'
import { holdsEncodedWord } from './header-text.ts'

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

/** What is wrong with an attachment's file name, or null. */
export function checkFilename(filename: string): Problem | null {
  if (filename.trim() === '') return problem('may not be empty: give the file a name such as `invoice.pdf`')
  if (filename.length > FILENAME_LENGTH_MAX) return problem(`may not be longer than ${FILENAME_LENGTH_MAX} characters`)
  if (UNSAFE_CHARACTER.test(filename)) {
    return problem('may not hold control characters, line breaks or characters that change the direction of writing')
  }
  if (/[/\\]/.test(filename) || /^\.+$/.test(filename)) return problem('must be the name of a file, without a folder or path')
  if (holdsEncodedWord(filename)) return problem('holds an encoded word (`=?...?=`): write the name unencoded, in any script')
  return checkFileType(filename)
}

/** What is wrong with the type that a file name implies, or null. */
export function checkFileType(filename: string): Problem | null {
  const extension = extensionOf(filename)
  if (!BLOCKED_EXTENSIONS.has(extension)) return null
  return problem(`may not end in \`.${extension}\`: mail servers refuse that type; send a link or another format`)
}

/** What is wrong with the `content_type` from a client, or null. RFC 2045, section 5.1. */
export function checkContentType(contentType: string): Problem | null {
  if (contentType.length > CONTENT_TYPE_LENGTH_MAX || !CONTENT_TYPE.test(contentType)) {
    return problem('must be a media type such as `application/pdf` or `text/plain; charset=utf-8`')
  }
  // A multipart holds other parts and may not be encoded in base64 (RFC 2045, section 6.4). Readers would see a broken message.
  return /^multipart\//i.test(contentType) ? problem('may not be a multipart type: an attachment is one file') : null
}

/** What is wrong with the `content_id` by which HTML refers to an inline attachment (`cid:...`), or null. */
export function checkContentId(contentId: string): Problem | null {
  if (contentId.length > CONTENT_ID_LENGTH_MAX) return problem(`must have fewer than ${CONTENT_ID_LENGTH_MAX + 1} characters`)
  if (CONTENT_ID.test(contentId)) return null
  return problem('must be made of visible ASCII characters without `<`, `>` and spaces, such as `logo` or `logo@example.com`')
}

/** The type from the client, or else the one that the name implies, or else `application/octet-stream`. */
export const contentTypeOf = (filename: string | null, given: string | null): string =>
  given ?? (filename === null ? null : lookup(extensionOf(filename)) || null) ?? 'application/octet-stream'

/** File systems take 255. */
const FILENAME_LENGTH_MAX = 255

/** RFC 4288, section 4.2 allows 127 for each half; the rest is for parameters. */
const CONTENT_TYPE_LENGTH_MAX = 255

const CONTENT_ID_LENGTH_MAX = 127

// Direction overrides make `exe.fdp` look like `pdf.exe` and the other way round. The others end a line.
const UNSAFE_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`{|}~-]+"

const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|"[^"\\\\\\p{Cc}\\P{ASCII}]*"))*$`, 'u')

const CONTENT_ID = /^[\x21-\x3b\x3d\x3f-\x7e]+$/

/** Windows ignores dots and spaces at the end, so it would run `virus.exe. `. */
function extensionOf(filename: string): string {
  const name = filename.replace(/[. ]{1,255}$/, '')
  const dot = name.lastIndexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1).toLowerCase()
}

const BLOCKED_EXTENSIONS = new Set(
  [
    'adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag mam maq mar',
    'mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops pcd pif plg prf prg reg scf scr',
    'sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss vst vsw vxd ws wsc wsf wsh xnk',
  ].flatMap((line) => line.split(' ')),
)

/** RFC 2045, section 6.7: a line of quoted-printable has at most 76 characters. A longer line continues after `=` and a line break. */
const LINE_LENGTH_MAX = 76
const SOFT_BREAK_LENGTH = 3
/** The encoder breaks a line after a space or a punctuation mark if there is one within this distance of its end. */
const BREAK_LOOKED_FOR = 25
/** The composer encodes longer texts, whatever their lines are like. */
const UNENCODED_LENGTH_MAX = 128 * 1024

/**
 * Bytes of a body as `mime-build.ts` encodes it, to about one percent: unchanged if it is ASCII in short lines, otherwise quoted-printable, or base64 if
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

// What senders name their files and types, made safe for those who store them under these names.

const NAME_LENGTH_MAX = 255

/** The last part of a path, as long as file systems take it, under a name that no system keeps for itself; null if nothing is left. */
export function safeFilename(given: string): string | null {
  const last = given.slice(-PATH_LENGTH_MAX).split(/[/\\]/).at(-1) ?? ''
  const name = storableText(last.replace(UNSAFE, ' ').replace(/ {2,}/g, ' ').trim(), NAME_LENGTH_MAX)
  if (name === '' || /^\.+$/.test(name)) return null
  return DEVICE.test(name) ? `_${name}` : name
}

/** Longer paths are no file of anyone. */
const PATH_LENGTH_MAX = 4_096

/** Control characters, and those that turn the direction of writing, so that a name shows another ending. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** Windows takes these for devices, whatever ending they have. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** In lower case; bytes if it is no media type (RFC 6838, section 4.2). */
export const safeContentType = (given: string | false): string =>
  given !== false && MEDIA_TYPE.test(given) && !STYLES.test(given) ? given.toLowerCase() : 'application/octet-stream'

/** A page of ours could be made to take its look from a file of a stranger. */
const STYLES = /^text\/css$/i

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i
