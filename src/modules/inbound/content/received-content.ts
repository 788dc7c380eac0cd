// What a received message says: its fields, its text, and its files.
import type { Readable } from 'node:stream'
import type { MimeNode } from '@zone-eu/mailsplit'
import addressparser from 'nodemailer/lib/addressparser'
import { storable, storableText } from '../../../lib/text.ts'
import { safeContentType, safeFilename } from '../../../mail/attachments.ts'
import { decodedText, decodedWords, headText } from '../../../mail/decoded-text.ts'
import { allOf, type Fields, firstOf, readFields } from '../../../mail/mime-fields.ts'
import {
  type BodyPart,
  type Excess,
  FILES_MAX,
  type FilePart,
  HEAD_BYTES_MAX,
  isInDigest,
  LEVELS_MAX,
  PARTS_MAX,
  type Parts,
  type StoreFile,
  splitMessage,
  unflowed,
} from '../../../mail/mime-parts.ts'
import { CONTENT_DISPOSITIONS, type ContentDisposition } from '../../emails/email-timeline.schema.ts'
import { shownTexts } from './shown-texts.ts'

/** A file of a message. */
export type ReceivedFile = {
  blobKey: string
  size: number
  filename: string | null
  contentType: string
  contentDisposition: ContentDisposition | null
  contentId: string | null
}

/** What a received message says. */
export type ReceivedContent = {
  /** The address alone; empty if there is none. */
  from: string
  /** The display name of the sender; null if there is none. */
  fromName: string | null
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  /** The addresses in the `for` clauses of Received headers. */
  receivedFor: string[]
  subject: string | null
  messageId: string | null
  /** Message-IDs that it answers, the nearest first. */
  answers: string[]
  headers: Record<string, string>
  html: string | null
  text: string | null
  isAutoReply: boolean
  files: ReceivedFile[]
  /** What could not be read, in sentences; null if all was. */
  problem: string | null
}

/** Its texts in UTF-8, which is written where it is read: to write 15 MB takes a processor 70 ms. */
export type EncodedContent = Omit<ReceivedContent, 'html' | 'text'> & { html: Uint8Array | null; text: Uint8Array | null }

/** As people read it, `Ada Lovelace <ada@example.org>`, with quotes around a name that needs them; null if the email names no sender. */
export function senderText({ from, fromName }: Pick<ReceivedContent, 'from' | 'fromName'>): string | null {
  if (from === '') return null
  if (fromName === null) return from
  return `${NEEDS_QUOTES.test(fromName) ? `"${fromName.replace(/["\\]/g, '\\$&')}"` : fromName} <${from}>`
}

/** RFC 5322, section 3.2.3, but for the dot, which all programs read (section 4.1). */
const NEEDS_QUOTES = /[()<>[\]:;@\\,"]/

/** The limit of each field. The headers have the other addresses. */
export const ADDRESSES_MAX = 1_000
const ADDRESS_LENGTH_MAX = 320
const NAME_LENGTH_MAX = 998
const SUBJECT_LENGTH_MAX = 10_000
const MESSAGE_ID_LENGTH_MAX = 998
const ANSWERS_MAX = 50
const CONTENT_ID_LENGTH_MAX = 998
/** The limit of each header that is shown. */
const HEADER_VALUE_LENGTH_MAX = 16 * 1024
const HEADERS_LENGTH_MAX = 256 * 1024
/** A list of ten thousand addresses has 300 KB. */
const FIELD_LIMITS = { lengthMax: HEAD_BYTES_MAX, valueLengthMax: 512 * 1024, isHead: true }

/** @throws what the message throws as it is read, and what storing a file throws. */
export async function readReceivedMessage(message: Readable | Buffer, storeFile: StoreFile): Promise<ReceivedContent> {
  return toReceivedContent(await splitMessage(message, storeFile))
}

/** Why something of a message is only in the raw one. */
const PROBLEMS: Record<Excess, string> = {
  levels: `The message has parts in more than ${LEVELS_MAX} levels. What follows is only in the raw message.`,
  parts: `The message has more than ${PARTS_MAX} parts or headers of more than 1 MB. What follows is only in the raw message.`,
  files: `The message has more than ${FILES_MAX} files. The others are only in the raw message.`,
  text: 'The text is longer than 5 MB. The rest is only in the raw message.',
}

function toReceivedContent({ root, bodies, files, excesses }: Parts): ReceivedContent {
  const { html, text, isCut } = shownTexts(bodies, decodeBody)
  const problems = [...new Set([...excesses, ...(isCut ? (['text'] as const) : [])])].map((excess) => PROBLEMS[excess])
  const head = root === null ? '' : headText(root.getHeaders())
  const fields = readFields(head, FIELD_LIMITS)
  if (addressesIn(fields, 'to', 'cc').length > ADDRESSES_MAX)
    problems.push(`It has more than ${ADDRESSES_MAX} recipients. The first are listed.`)
  const addresses = (...names: string[]) => addressesIn(fields, ...names).slice(0, ADDRESSES_MAX)
  return {
    ...readSender(fields),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    replyTo: addresses('reply-to'),
    receivedFor: receivedFor(allOf(fields, 'received')),
    subject: fields.has('subject') ? storableText(decoded(firstOf(fields, 'subject')), SUBJECT_LENGTH_MAX) : null,
    messageId: storableText(firstOf(fields, 'message-id').trim(), MESSAGE_ID_LENGTH_MAX) || null,
    answers: repliedMessageIds(fields),
    headers: shownHeaders(fields),
    html: html && storable(html),
    text: text && storable(text),
    isAutoReply: isAutoReply(fields),
    files: files.map(receivedFile),
    problem: problems.length === 0 ? null : problems.join(' '),
  }
}

/** All parts of each kind, as a submitted message has them. Each null if there is none, so that an empty one is told from none. */
export const joinTexts = (bodies: readonly BodyPart[]): Pick<ReceivedContent, 'html' | 'text'> => ({
  html: joined(bodies, 'html', '<br>\n'),
  text: joined(bodies, 'text', '\n'),
})

export const receivedFile = ({ node, blobKey, bytes }: FilePart): ReceivedFile => ({ blobKey, size: bytes, ...fileNames(node) })

const decoded = (value: string): string => (value.length > HEADER_VALUE_LENGTH_MAX ? value : decodedWords(value))

type Parsed = ReturnType<typeof addressparser>[number]

type NamedAddress = { name: string; address: string }

const mailboxesIn = (parsed: Parsed): NamedAddress[] =>
  'group' in parsed && parsed.group
    ? parsed.group.flatMap(mailboxesIn)
    : [{ name: parsed.name ?? '', address: storable((parsed.address ?? '').trim()) }]

const isAddress = ({ address }: NamedAddress): boolean => address.includes('@') && address.length <= ADDRESS_LENGTH_MAX

const addressesIn = (fields: Fields, ...names: string[]): string[] => [
  ...new Set(
    allOf(fields, ...names)
      .flatMap((value) => addressparser(value))
      .flatMap(mailboxesIn)
      .filter(isAddress)
      .map(({ address }) => address),
  ),
]

/** The first address that `From` names, and the name before it. */
function readSender(fields: Fields): Pick<ReceivedContent, 'from' | 'fromName'> {
  const mailboxes = allOf(fields, 'from')
    .flatMap((value) => addressparser(value))
    .flatMap(mailboxesIn)
  const sender = mailboxes.find(isAddress)
  if (sender === undefined) return { from: '', fromName: null }
  const name = storableText(decoded(sender.name).trim(), NAME_LENGTH_MAX)
  return { from: sender.address, fromName: name === '' || name.toLowerCase() === sender.address.toLowerCase() ? null : name }
}

const receivedFor = (values: string[]): string[] => [
  ...new Set(values.flatMap((value) => storable(FOR_CLAUSE.exec(value.slice(0, HEADER_VALUE_LENGTH_MAX))?.[1] ?? '') || [])),
]

/** RFC 5321, section 4.4. */
const FOR_CLAUSE = /\sfor\s<?([^\s<>;@]{1,64}@[^\s<>;@]{1,255})/i

function repliedMessageIds(fields: Fields): string[] {
  const references = messageIdsIn(firstOf(fields, 'references')).toReversed()
  return [...new Set([...messageIdsIn(firstOf(fields, 'in-reply-to')), ...references])].slice(0, ANSWERS_MAX)
}

const messageIdsIn = (value: string): string[] => storable(value.slice(0, HEADER_VALUE_LENGTH_MAX)).match(/<[^<>\s]{1,996}>/g) ?? []

/** Repeated ones are lines of one value. */
function shownHeaders(fields: Fields): Record<string, string> {
  const shown: [string, string][] = []
  let left = HEADERS_LENGTH_MAX
  for (const [name, values] of fields) {
    const value = storable(values.map((each) => decoded(each)).join('\n'))
      .slice(0, Math.min(left, HEADER_VALUE_LENGTH_MAX))
      .toWellFormed()
    left -= name.length + value.length
    if (left < 0) break
    shown.push([name, value])
  }
  return Object.fromEntries(shown)
}

function joined(bodies: readonly BodyPart[], kind: BodyPart['kind'], between: string): string | null {
  const texts = bodies.filter((body) => body.kind === kind).map(decodeBody)
  return texts.length === 0 ? null : storable(texts.join(between))
}

function decodeBody({ node, bytes }: BodyPart): string {
  const text = decodedText(bytes, node.charset).replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  return node.flowed ? unflowed(text, { deletesSpace: node.delSp }) : text
}

function fileNames(node: MimeNode): Omit<ReceivedFile, 'blobKey' | 'size'> {
  const contentId = (node.headers === false ? '' : node.headers.getFirst('content-id')).trim().replace(/^<|>$/g, '')
  const { disposition } = node
  return {
    filename: node.filename === false ? null : safeFilename(node.filename),
    contentType: isInDigest(node) ? 'message/rfc822' : safeContentType(node.contentType),
    contentDisposition: CONTENT_DISPOSITIONS.find((one) => one === disposition) ?? null,
    contentId: storableText(contentId, CONTENT_ID_LENGTH_MAX) || null,
  }
}

/** RFC 3834, section 5, and what programs used before. */
function isAutoReply(fields: Fields): boolean {
  const submitted = firstOf(fields, 'auto-submitted').toLowerCase()
  return (
    (submitted !== '' && !submitted.startsWith('no')) ||
    /^\s*auto_reply/i.test(firstOf(fields, 'precedence')) ||
    ['x-autoreply', 'x-autorespond', 'x-auto-response-suppress-reply'].some((name) => fields.has(name))
  )
}
