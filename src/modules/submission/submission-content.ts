import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { MimeNode, SplitterChunk } from '@zone-eu/mailsplit'
import libmime from 'libmime'
import { doAtOnce } from '../../lib/main-thread.ts'
import { explainProblem } from '../../lib/problem.ts'
import { checkFileType, encodedTextSize, safeFilename } from '../../mail/attachments.ts'
import { type BodyPart, type Excess, LEVELS_MAX, PARTS_MAX, type Parts, type StoreFile, splitMessage } from '../../mail/mime-parts.ts'
import { ATTACHMENTS_MAX } from '../emails/emails.schema.ts'
import type { SubmittedText } from '../emails/submitted-message.ts'
import { joinTexts, type ReceivedFile, receivedFile } from '../inbound/content/received-content.ts'

/**
 * Every name under which a program that reads mail may store a file. Programs differ in which they take of several, whether in the same field, in
 * the other field or as `filename*=`, and in what they leave out of it.
 */
export function fileNames({ filename, headers }: Pick<MimeNode, 'filename' | 'headers'>): string[] {
  const fields = headers === false ? [] : NAMING_FIELDS.flatMap((field) => headers.get(field))
  const given = [filename || '', ...fields.flatMap((field) => [joinedName(field), ...writtenNames(field)])]
  return [...new Set(given)].flatMap((name) => safeFilename(name) ?? [])
}

const NAMING_FIELDS = ['content-disposition', 'content-type']

/** A name that stands in several pieces (RFC 2231, section 3) is put together. */
function joinedName(field: string): string {
  const { params } = libmime.parseHeaderValue(field.slice(field.indexOf(':') + 1))
  return params.filename ?? params.name ?? ''
}

/** Each of them, as it stands there. */
const writtenNames = (field: string): string[] =>
  [...field.matchAll(NAMES)].map(([, star, quoted, bare]) => {
    const name = quoted === undefined ? (bare ?? '').trim() : quoted.replace(/\\(.)/g, '$1')
    return star === '*' ? withoutPercents(name) : name
  })

const NAMES = /[;\s](?:file)?name(\*?)=(?:"((?:[^"\\]|\\.)*)"|([^;]*))/gi

/** The charset and the language that stand before the name (RFC 2231, section 4) change nothing about its ending. */
function withoutPercents(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

// Tells whether a message that is submitted again says the same, to everyone who reads it.

export type Fingerprint = { add(chunk: SplitterChunk): void; digest(): string }

/** What a program, or a server that passes the message on, writes anew each time that it sends it. */
const MAY_DIFFER = new Set([
  ...['date', 'message-id', 'received', 'dkim-signature', 'idempotency-key', 'resend-idempotency-key'],
  ...['return-path', 'authentication-results', 'arc-seal', 'arc-message-signature', 'arc-authentication-results'],
])

/** All parts with their headers and their place, but for the boundaries between them. */
export function createFingerprint(): Fingerprint {
  const whole = createHash('sha256')
  let body: Hash | null = null
  /** Hashes a part that says that it has parts: if it has none, this is its text. */
  let outside: Hash | null = null
  let last: MimeNode | null = null

  function endPart(): void {
    if (body !== null) whole.update(body.digest())
    if (outside !== null) whole.update(outside.digest())
  }

  return {
    add(chunk) {
      if (chunk.type !== 'node') {
        if (chunk.type === 'body') body?.update(chunk.value)
        else outside?.update(chunk.value)
        return
      }
      // Around parts there is only what no one reads.
      if (chunk.parentNode === last) outside = null
      endPart()
      whole.update(JSON.stringify([levelOf(chunk), headerFields(chunk)]))
      body = createHash('sha256')
      outside = chunk.multipart ? createHash('sha256') : null
      last = chunk
    },
    digest() {
      endPart()
      return whole.digest('base64')
    },
  }
}

function levelOf(node: MimeNode): number {
  let level = 0
  for (let parent: MimeNode | false | null | undefined = node.parentNode; parent; parent = parent.parentNode) level += 1
  return level
}

function headerFields(node: MimeNode): string[] {
  return node
    .getHeaders()
    .toString('latin1')
    .split(/\r\n(?![\t ])/)
    .filter((field, index) => !(index === 0 && MAILBOX_LINE.test(field)) && !MAY_DIFFER.has(nameOf(field)))
    .map((field) => (nameOf(field) === 'content-type' ? field.replace(/\s+/g, ' ').replace(BOUNDARY, '') : field))
}

const nameOf = (field: string): string =>
  field
    .slice(0, Math.max(0, field.indexOf(':')))
    .trimEnd()
    .toLowerCase()

/** The first line of a message in a mailbox file. `From : ` begins a field. */
const MAILBOX_LINE = /^From (?![\t ]*:)/

/** RFC 2046, section 5.1.1 allows 70 characters. */
const BOUNDARY = /; ?boundary ?= ?(?:"[^"]{0,200}"|[^; "]{0,200})/i

/**
 * Which part is the HTML that may be changed for tracking: the only one, read wholly, and in no part that is signed or encrypted. Null if there is none.
 * A part that says nothing may lack the empty line after its header, so there is no place to put HTML.
 */
export function htmlPartOf({ bodies, excesses }: Pick<Parts, 'bodies' | 'excesses'>): number | null {
  const [html, ...others] = bodies.filter(({ kind }) => kind === 'html')
  if (html === undefined || others.length > 0 || excesses.size > 0 || html.bytes.length === 0) return null
  return isFree(html) ? html.place : null
}

function isFree({ node }: BodyPart): boolean {
  for (let parent: MimeNode | false | null | undefined = node.parentNode; parent; parent = parent.parentNode)
    if (parent.multipart !== false && KEPT_WHOLE.has(parent.multipart)) return false
  return true
}

/** RFC 1847. */
const KEPT_WHOLE = new Set(['signed', 'encrypted'])

// What a message that was submitted holds below its header.

/** It can be handed from one thread to another. */
export type SubmissionContent = {
  html: SubmittedText
  text: SubmittedText
  /** Bytes of both as they are sent, to about one percent. Counting takes a processor 90 ms for a text of 15 MB. */
  textBytes: number
  files: ReceivedFile[]
  htmlPart: number | null
  /** Why it is not sent, in a sentence; null if nothing speaks against it. */
  refusal: string | null
  /** Null unless it was asked for. */
  fingerprint: string | null
}

type Options = { storeFile: StoreFile; hasFingerprint: boolean }

/** @throws what the message throws as it is read, and what storing a file throws. */
export async function readSubmissionContent(
  message: Readable | Buffer,
  { storeFile, hasFingerprint }: Options,
): Promise<SubmissionContent> {
  const fingerprint = hasFingerprint ? createFingerprint() : null
  const parts = await splitMessage(message, storeFile, { watch: fingerprint?.add, keepsNamed: true })
  const { html, text } = joinTexts(parts.bodies)
  return {
    ...{ html, text, textBytes: doAtOnce(encodedTextSize(html ?? '')) + doAtOnce(encodedTextSize(text ?? '')) },
    files: parts.files.map(receivedFile),
    htmlPart: htmlPartOf(parts),
    refusal: contentRefusal(parts),
    fingerprint: fingerprint?.digest() ?? null,
  }
}

/** What is beyond these would be sent without having been looked at. The text is not looked at. */
const REFUSALS: Record<Excess, string | null> = {
  levels: `The message has parts in more than ${LEVELS_MAX} levels.`,
  parts: `The message has more than ${PARTS_MAX} parts, or a part with a header of more than 1 MB.`,
  files: `The message must have at most ${ATTACHMENTS_MAX} attachments.`,
  text: null,
}

function contentRefusal({ files, excesses }: Parts): string | null {
  for (const excess of excesses) if (REFUSALS[excess] !== null) return REFUSALS[excess]
  if (files.length > ATTACHMENTS_MAX) return REFUSALS.files
  for (const name of files.flatMap(({ node }) => fileNames(node))) {
    const problem = checkFileType(name)
    if (problem !== null) return explainProblem('filename', problem, name)
  }
  return null
}
