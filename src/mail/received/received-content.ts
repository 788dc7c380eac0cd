// What a received message says: its fields, its text, and its files.

import type { Readable } from 'node:stream'
import type { MimeNode } from '@zone-eu/mailsplit'
import addressparser from 'nodemailer/lib/addressparser'
import type { ReceivedContent, ReceivedFile } from '../../lib/inbound/received-content.ts'
import { storable, storableText } from '../../lib/storable-text.ts'
import { decodedText, decodedWords, headText } from '../decoded-text.ts'
import { allOf, type Fields, firstOf, readFields } from '../reports/fields.ts'
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
} from './message-parts.ts'
import { safeContentType, safeFilename } from './safe-names.ts'
import { shownTexts } from './shown-texts.ts'
import { unflowed } from './unflowed.ts'

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
  return contentOf(await splitMessage(message, storeFile))
}

/** Why something of a message is only in the raw one. */
const PROBLEMS: Record<Excess, string> = {
  levels: `The message has parts in more than ${LEVELS_MAX} levels. What follows is only in the raw message.`,
  parts: `The message has more than ${PARTS_MAX} parts or headers of more than 1 MB. What follows is only in the raw message.`,
  files: `The message has more than ${FILES_MAX} files. The others are only in the raw message.`,
  text: 'The text is longer than 5 MB. The rest is only in the raw message.',
}

function contentOf({ root, bodies, files, excesses }: Parts): ReceivedContent {
  const { html, text, isCut } = shownTexts(bodies, textOf)
  const problems = [...new Set([...excesses, ...(isCut ? (['text'] as const) : [])])].map((excess) => PROBLEMS[excess])
  const head = root === null ? '' : headText(root.getHeaders())
  const fields = readFields(head, FIELD_LIMITS)
  if (addressesIn(fields, 'to', 'cc').length > ADDRESSES_MAX)
    problems.push(`It has more than ${ADDRESSES_MAX} recipients. The first are listed.`)
  const addresses = (...names: string[]) => addressesIn(fields, ...names).slice(0, ADDRESSES_MAX)
  return {
    ...senderOf(fields),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    replyTo: addresses('reply-to'),
    receivedFor: receivedFor(allOf(fields, 'received')),
    subject: fields.has('subject') ? storableText(decoded(firstOf(fields, 'subject')), SUBJECT_LENGTH_MAX) : null,
    messageId: storableText(firstOf(fields, 'message-id').trim(), MESSAGE_ID_LENGTH_MAX) || null,
    answers: answersOf(fields),
    headers: shownHeaders(fields),
    html: html && storable(html),
    text: text && storable(text),
    isAutoReply: isAutoReply(fields),
    files: files.map(receivedFile),
    problem: problems.length === 0 ? null : problems.join(' '),
  }
}

/** All parts of each kind, as a submitted message has them. Each null if there is none, so that an empty one is told from none. */
export const textsOf = (bodies: readonly BodyPart[]): Pick<ReceivedContent, 'html' | 'text'> => ({
  html: joined(bodies, 'html', '<br>\n'),
  text: joined(bodies, 'text', '\n'),
})

export const receivedFile = ({ node, blobKey, bytes }: FilePart): ReceivedFile => ({ blobKey, size: bytes, ...namesOf(node) })

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
function senderOf(fields: Fields): Pick<ReceivedContent, 'from' | 'fromName'> {
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

function answersOf(fields: Fields): string[] {
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
  const texts = bodies.filter((body) => body.kind === kind).map(textOf)
  return texts.length === 0 ? null : storable(texts.join(between))
}

function textOf({ node, bytes }: BodyPart): string {
  const text = decodedText(bytes, node.charset).replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  return node.flowed ? unflowed(text, { deletesSpace: node.delSp }) : text
}

function namesOf(node: MimeNode): Omit<ReceivedFile, 'blobKey' | 'size'> {
  const contentId = (node.headers === false ? '' : node.headers.getFirst('content-id')).trim().replace(/^<|>$/g, '')
  const { disposition } = node
  return {
    filename: node.filename === false ? null : safeFilename(node.filename),
    contentType: isInDigest(node) ? 'message/rfc822' : safeContentType(node.contentType),
    contentDisposition: disposition === 'inline' || disposition === 'attachment' ? disposition : null,
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
