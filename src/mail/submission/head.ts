// The header of a message that was handed in: its fields as they came, and as they are sent.
import charsets from 'libmime/lib/charset.js'
import MimeNode from 'nodemailer/lib/mime-node'
import { invalid } from '../../lib/failure.ts'
import { storable } from '../../lib/storable-text.ts'

/** `text`: the whole field with its folds, each character a byte. */
export type HeadField = { name: string; text: string }

export type Head = { fields: HeadField[]; bodyStart: number }

/** Room for two thousand recipients. */
export const HEAD_BYTES_MAX = 64 * 1024
const FIELDS_MAX = 1_000

/**
 * @param beginning the first bytes of the message: all of them, or more than `HEAD_BYTES_MAX`
 * @throws Failure if it has no header that others would read as we do
 */
export function readHead(beginning: Buffer): Head {
  const end = beginning.subarray(0, HEAD_BYTES_MAX).indexOf('\r\n\r\n')
  const isWhole = end !== -1 || beginning.length < HEAD_BYTES_MAX
  if (!isWhole) throw invalid(`The header of the message has more than ${HEAD_BYTES_MAX / 1024} KB.`)
  const text = beginning.toString('latin1', 0, end === -1 ? beginning.length : end).replace(LAST_LINE_END, '')
  const fields = text === '' ? [] : text.split(/\r\n(?![\t ])/).flatMap((field, index) => fieldOf(field, index))
  if (fields.length > FIELDS_MAX) throw invalid(`The header of the message has more than ${FIELDS_MAX} fields.`)
  return { fields, bodyStart: end === -1 ? beginning.length : end + '\r\n\r\n'.length }
}

const LAST_LINE_END = /\r\n$/

function fieldOf(text: string, index: number): HeadField[] {
  // The first line of a mailbox file, which some programs hand in with the message.
  if (index === 0 && text.startsWith('From ')) return []
  const name = text.slice(0, Math.max(0, text.indexOf(':'))).trimEnd()
  if (FIELD_NAME.test(name)) return [{ name: name.toLowerCase(), text }]
  throw invalid(`Line ${index + 1} of the header is no field: a header ends with an empty line, and each of its lines is \`Name: value\`.`)
}

const FIELD_NAME = /^[!-9;-~]{1,76}$/

/** What the field says, on one line. */
export function fieldValue({ text }: HeadField): string {
  const bytes = Buffer.from(text.slice(text.indexOf(':') + 1).replaceAll('\r\n', ''), 'latin1')
  const value = bytes.toString('utf8')
  return storable((value.includes('\ufffd') ? charsets.decode(bytes, 'windows-1252') : value).trim())
}

/** As a field leaves: in seven bits, because not every server on the way takes more. */
export function sentField(field: HeadField): string {
  return IS_ASCII.test(field.text) ? field.text : writtenField(field.text.slice(0, field.text.indexOf(':')).trimEnd(), fieldValue(field))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
const IS_ASCII = /^[\x00-\x7f]*$/

/** A field of ours, encoded and folded. */
export function writtenField(name: string, value: string | { name: string; address: string }): string {
  const node = new MimeNode(undefined, { rootNode: ROOT, parentNode: ROOT })
  node.setHeader(name, value)
  return node.buildHeaders()
}

/** A node that has a parent writes nothing but what it was given. */
const ROOT = new MimeNode()
