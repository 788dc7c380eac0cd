// The header of a message that was handed in: its fields as they came.
import { invalid } from '../../lib/failure.ts'
import { storable } from '../../lib/storable-text.ts'
import { fieldText } from '../decoded-text.ts'

/** `text`: the whole field with its folds, each character a byte. There is no space before the colon, and no line of white space only. */
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
  const fields = text === '' ? [] : fieldsOf(text)
  if (fields.length > FIELDS_MAX) throw invalid(`The header of the message has more than ${FIELDS_MAX} fields.`)
  return { fields, bodyStart: end === -1 ? beginning.length : end + '\r\n\r\n'.length }
}

const LAST_LINE_END = /\r\n$/

function fieldsOf(text: string): HeadField[] {
  let line = 1
  return text.split(/\r\n(?![\t ])/).flatMap((field) => {
    const first = line
    line += field.split('\r\n').length
    return fieldOf(field, first)
  })
}

function fieldOf(text: string, line: number): HeadField[] {
  const colon = Math.max(0, text.indexOf(':'))
  const name = text.slice(0, colon).trimEnd()
  if (FIELD_NAME.test(name)) return [{ name: name.toLowerCase(), text: `${name}${text.slice(colon).replace(BLANK_LINES, '')}` }]
  // The first line of a mailbox file, from which some programs hand in messages.
  if (line === 1 && text.startsWith('From ')) return []
  throw invalid(`Line ${line} of the header is no field: a header ends with an empty line, and each of its lines is \`Name: value\`.`)
}

const FIELD_NAME = /^[!-9;-~]{1,76}$/

/** RFC 5322, section 3.2.2, forbids them: some readers take one for the end of the header, and would see another message than we do. */
const BLANK_LINES = /\r\n[\t ]+(?=\r\n|$)/g

/** What the field says, on one line. */
export function fieldValue({ text }: HeadField): string {
  const line = text.slice(text.indexOf(':') + 1).replaceAll('\r\n', '')
  if (IS_PLAIN.test(line)) return line.trim()
  return storable(fieldText(Buffer.from(line, 'latin1')).trim())
}

/** It needs no decoding. */
const IS_PLAIN = /^[\t -~]*$/
