// The header with which a message that was handed in is sent.
import MimeNode from 'nodemailer/lib/mime-node'
import { invalid } from '../../lib/failure.ts'
import type { Mailbox } from '../addresses.ts'
import { fieldValue, type Head, type HeadField } from './head.ts'

/** Read, and not sent. */
const OURS = new Set(['resend-idempotency-key', 'idempotency-key', 'x-tags', 'x-topic-id', 'x-scheduled-at'])

/**
 * Not sent. Bcc tells who else gets it. Sender and Resent fields speak for someone else than the sender who was judged. Return-Path is written where
 * a message ends. Authentication-Results would claim that a server has checked it (RFC 8601, section 5, lets a server remove all of them). The
 * signatures of others cover the fields that are written anew here, so they would only fail.
 */
const LEFT_OUT = new Set(['bcc', 'sender', 'return-path', 'x-original-message-id', 'authentication-results', 'dkim-signature'])
const LEFT_OUT_BEGINNINGS = ['resent-', 'arc-']

type Written = { messageId: string; date: Date; sender: Mailbox }

/**
 * Without the empty line after it.
 *
 * @throws Failure if it cannot be written in ASCII
 */
export function sentHead({ fields }: Head, { messageId, date, sender }: Written): string {
  const has = (name: string) => fields.some((field) => field.name === name)
  return [
    `Message-ID: ${messageId}`,
    ...(has('date') ? [] : [`Date: ${date.toUTCString().replace('GMT', '+0000')}`]),
    ...(has('mime-version') || !has('content-type') ? [] : ['MIME-Version: 1.0']),
    ...fields.filter(({ name }) => isSent(name)).flatMap((field) => sentField(field, sender)),
  ].join('\r\n')
}

const isSent = (name: string): boolean =>
  !OURS.has(name) && !LEFT_OUT.has(name) && !LEFT_OUT_BEGINNINGS.some((beginning) => name.startsWith(beginning))

function sentField(field: HeadField, sender: Mailbox): string[] {
  // The one address that was judged is the one that readers see.
  if (field.name === 'from')
    return [isPlain(field, sender) ? field.text : writtenField('From', { name: sender.name ?? '', address: sender.address })]
  return field.name === 'message-id' ? originalMessageId(field) : inSevenBits(field)
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
  return inSevenBits({ name: 'x-original-message-id', text: `X-Original-Message-ID:${between}${value}` })
}

/** RFC 5322, section 2.1.1. */
const LINE_LENGTH_USUAL = 78

/** Because not every server on the way takes eight. */
function inSevenBits(field: HeadField): string[] {
  const { name, text } = field
  if (IS_ASCII.test(text)) return [text]
  const shownName = text.slice(0, text.indexOf(':'))
  if (IDS.has(name)) {
    const ids = text.match(ASCII_ID)
    return ids === null ? [] : [[`${shownName}:`, ...ids].join('\r\n ')]
  }
  if (URLS.has(name)) return [text.replace(NOT_ASCII, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)]
  if (STRUCTURED.has(name)) return [text.replace(NOT_ASCII, '?')]
  const written = writtenField(shownName, fieldValue(field))
  if (IS_ASCII.test(written)) return [written]
  throw invalid(`The \`${shownName}\` header holds an address with a character that is not ASCII before its \`@\`.`)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
const IS_ASCII = /^[\x00-\x7f]*$/
const NOT_ASCII = /[\x80-\xff]/g

/** Fields in which no word can be encoded (RFC 2047, section 5): one id of several that is wrong names nothing. */
const IDS = new Set(['in-reply-to', 'references', 'content-id'])
const ASCII_ID = /<[!-;=?-~]+>/g
/** RFC 2369, 8058. */
const URLS = new Set(['list-unsubscribe', 'list-subscribe', 'list-help', 'list-post', 'list-owner', 'list-archive'])
const STRUCTURED = new Set(['date', 'received', 'mime-version', 'content-transfer-encoding'])

/** A field of ours, encoded and folded. */
function writtenField(name: string, value: string | { name: string; address: string }): string {
  const node = new MimeNode(undefined, { rootNode: ROOT, parentNode: ROOT })
  node.setHeader(name, value)
  return node.buildHeaders()
}

/** A node that has a parent writes nothing but what it was given. */
const ROOT = new MimeNode()
