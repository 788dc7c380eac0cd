// The header with which a message that was handed in is sent.
import MimeNode from 'nodemailer/lib/mime-node'
import { invalid } from '../../lib/failure.ts'
import type { Mailbox } from '../addresses.ts'
import { claimsJudgement } from '../header-claims.ts'
import {
  asciiValue,
  type FieldKind,
  fieldKind,
  foldedField,
  HEADER_FIELD_BYTES_MAX,
  isFoldable,
  WORD_OCTETS_MAX,
} from '../header-fields.ts'
import { fieldValue, type Head, type HeadField } from './head.ts'

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
    OURS.has(name) || LEFT_OUT.has(name) || claimsJudgement(name) || LEFT_OUT_BEGINNINGS.some((beginning) => name.startsWith(beginning))
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
