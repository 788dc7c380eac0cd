// The header of a message that was submitted: its fields as they came.

import MimeNode from 'nodemailer/lib/mime-node'
import { invalid } from '../lib/failure.ts'
import { guessedText, storable } from '../lib/text.ts'
import type { Mailbox } from './addresses.ts'
import { asciiValue, type FieldKind, fieldKind, foldedField, HEADER_FIELD_BYTES_MAX, isFoldable, WORD_OCTETS_MAX } from './header-fields.ts'
import { isReservedVerdictHeader } from './reserved-headers.ts'

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
  if (!isWhole) throw invalid(`The headers of the message may have at most ${HEAD_BYTES_MAX / 1024} KB together.`)
  const text = beginning.toString('latin1', 0, end === -1 ? beginning.length : end).replace(LAST_LINE_END, '')
  const fields = text === '' ? [] : parseFields(text)
  if (fields.length > FIELDS_MAX) throw invalid(`The message may have at most ${FIELDS_MAX} headers.`)
  return { fields, bodyStart: end === -1 ? beginning.length : end + '\r\n\r\n'.length }
}

const LAST_LINE_END = /\r\n$/

function parseFields(text: string): HeadField[] {
  let line = 1
  return text.split(/\r\n(?![\t ])/).flatMap((field) => {
    const first = line
    line += field.split('\r\n').length
    return parseField(field, first)
  })
}

function parseField(text: string, line: number): HeadField[] {
  const colon = Math.max(0, text.indexOf(':'))
  const name = text.slice(0, colon).trimEnd()
  if (FIELD_NAME.test(name)) return [{ name: name.toLowerCase(), text: `${name}${text.slice(colon).replace(BLANK_LINES, '')}` }]
  // The first line of a mailbox file, from which some programs submit messages.
  if (line === 1 && text.startsWith('From ')) return []
  throw invalid(`Line ${line} of the message is not a header: write each header as \`Name: value\`, and an empty line after the last one.`)
}

const FIELD_NAME = /^[!-9;-~]{1,76}$/

/** RFC 5322, section 3.2.2, forbids them: some readers take one for the end of the header, and would see another message than we do. */
const BLANK_LINES = /\r\n[\t ]+(?=\r\n|$)/g

/** What the field says, on one line. */
export function fieldValue({ text }: HeadField): string {
  const line = text.slice(text.indexOf(':') + 1).replaceAll('\r\n', '')
  if (IS_PLAIN.test(line)) return line.trim()
  return storable(guessedText(Buffer.from(line, 'latin1')).trim())
}

/** It needs no decoding. */
const IS_PLAIN = /^[\t -~]*$/

// Watches the bytes of a message that is submitted, for what cannot be sent as it is.

export type FormFault = 'long line' | 'NUL'

/** RFC 5322, section 2.1.1, without the line break. */
const LINE_BYTES_MAX = 998

/** Returns a function that takes the message piece by piece, and says what is wrong with it once that is seen. */
export function createFormWatch(): (piece: Buffer) => FormFault | null {
  let lineBytes = 0
  return (piece) => {
    if (piece.includes(0)) return 'NUL'
    let at = 0
    while (at < piece.length) {
      const end = piece.indexOf(LF, at)
      lineBytes += (end === -1 ? piece.length : end) - at
      // The bytes include the CR of the line break.
      if (lineBytes > LINE_BYTES_MAX + 1) return 'long line'
      if (end === -1) return null
      lineBytes = 0
      at = end + 1
    }
    return null
  }
}

const LF = 0x0a

// The header with which a message that was submitted is sent.

/** Read, and not sent. */
const OURS = new Set(['resend-idempotency-key', 'idempotency-key', 'x-tags', 'x-topic-id', 'x-scheduled-at'])

/**
 * Not sent. Bcc tells who else gets it. Sender and Resent fields speak for someone else than the sender who was judged. The signatures of others cover
 * the fields that are written anew here, so they would only fail. What claims the judgement of a server is left out too; earlier `Received` fields
 * stay, because servers count them to end loops, and they say nothing about us.
 */
const LEFT_OUT = new Set(['bcc', 'sender', 'x-original-message-id', 'dkim-signature'])
const LEFT_OUT_BEGINNINGS = ['resent-']

type Written = {
  /** The line of this server about the reception; see `receivedLine`. */
  received: string
  messageId: string
  date: Date
  sender: Mailbox
}

/**
 * Without the empty line after it.
 *
 * @throws Failure if it cannot be written in ASCII, or has a field that is too large
 */
export function sentHead({ fields }: Head, { received, messageId, date, sender }: Written): string {
  const has = (name: string) => fields.some((field) => field.name === name)
  return [
    received,
    `Message-ID: ${messageId}`,
    ...(has('date') ? [] : [`Date: ${date.toUTCString().replace('GMT', '+0000')}`]),
    ...(has('mime-version') || !has('content-type') ? [] : ['MIME-Version: 1.0']),
    ...fields.filter(isSent).flatMap((field) => sentField(field, sender)),
  ].join('\r\n')
}

/** @throws Failure if the field is larger than one of POST /emails may be. Those that list people have no bound but that of the header. */
function isSent({ name, text }: HeadField): boolean {
  const isLeftOut =
    OURS.has(name) ||
    LEFT_OUT.has(name) ||
    isReservedVerdictHeader(name) ||
    LEFT_OUT_BEGINNINGS.some((beginning) => name.startsWith(beginning))
  if (isLeftOut) return false
  if (text.length <= HEADER_FIELD_BYTES_MAX || LISTS_OF_PEOPLE.has(name)) return true
  throw invalid(`The \`${text.slice(0, text.indexOf(':'))}\` header has more than ${HEADER_FIELD_BYTES_MAX / 1024} KB.`)
}

const LISTS_OF_PEOPLE = new Set(['to', 'cc', 'reply-to'])

function sentField(field: HeadField, sender: Mailbox): string[] {
  // The one address that was judged is the one that readers see.
  if (field.name === 'from')
    return [isPlain(field, sender) ? field.text : writtenField('From', { name: sender.name ?? '', address: sender.address })]
  return field.name === 'message-id' ? originalMessageId(field) : fieldInSevenBits(field)
}

/** Most programs write what would be written here, which takes a tenth of the time for a small message. */
function isPlain({ text }: HeadField, { name, address }: Mailbox): boolean {
  return text === `From: ${address}` || (name !== null && PLAIN_NAME.test(name) && text === `From: ${name} <${address}>`)
}

const PLAIN_NAME = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+){0,9}$/

function originalMessageId({ text }: HeadField): string[] {
  const value = text.slice(text.indexOf(':')).replace(/^:\s*/, '')
  if (value === '') return []
  // The original line may already have the maximum length, and the new name is longer.
  const between = text.length > LINE_LENGTH_USUAL ? '\r\n ' : ' '
  return fieldInSevenBits({ name: 'x-original-message-id', text: `X-Original-Message-ID:${between}${value}` })
}

/** RFC 5322, section 2.1.1. */
const LINE_LENGTH_USUAL = 78

/** Because not every server on the way takes eight. */
export function fieldInSevenBits(field: HeadField): string[] {
  const { name, text } = field
  if (IS_ASCII.test(text)) return [text]
  const shownName = text.slice(0, text.indexOf(':'))
  const kind = fieldKind(name)
  const written = kind === 'text' ? writtenField(shownName, fieldValue(field)) : structuredField(shownName, kind, fieldValue(field))
  if (written !== null && !IS_ASCII.test(written))
    throw invalid(`The \`${shownName}\` header holds an address with a character that is not ASCII before its \`@\`.`)
  return written === null ? [] : [written]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
const IS_ASCII = /^[\x00-\x7f]*$/

/** Null if nothing is left of it: one id of several that is wrong names nothing. Programs answer mail whose ids they cannot correct. */
function structuredField(name: string, kind: Exclude<FieldKind, 'text'>, given: string): string | null {
  const { value } = asciiValue(kind, given)
  if (isFoldable(value)) return value === '' ? null : foldedField(name, value)
  throw invalid(`The \`${name}\` header has more than ${WORD_OCTETS_MAX} characters without a space once it is written in ASCII.`)
}

/** A field of ours, encoded and folded. */
function writtenField(name: string, value: string | { name: string; address: string }): string {
  const node = new MimeNode(undefined, { rootNode: ROOT, parentNode: ROOT })
  node.setHeader(name, value)
  return node.buildHeaders()
}

/** A node that has a parent writes nothing but what it was given. */
const ROOT = new MimeNode()
