import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import * as base64 from 'nodemailer/lib/base64'
import MailComposer, {
  type MailComposerAlternative,
  type MailComposerAttachment,
  type MailComposerOptions,
} from 'nodemailer/lib/mail-composer'
import type MimeNode from 'nodemailer/lib/mime-node'
import * as quotedPrintable from 'nodemailer/lib/qp'
import { asciiValue, fieldKind, isFoldable } from './header-fields.ts'
import { collapseSpaces, headerText, type WrittenHeader } from './header-text.ts'
import { lineForm } from './line-forms.ts'

export type MimeMailbox = { name: string | null; address: string }

export type MimeAttachment = {
  /** Null if the part has no name. */
  filename: string | null
  contentType: string
  /** If set, the part is shown inside the HTML, which refers to it as `cid:...`. */
  contentId: string | null
  /** Called when the message reaches this part; for an attached message also before, to see in which form it can be sent. */
  open: () => Promise<Readable>
}

export type MimeMessage = {
  /** May have angle brackets. */
  messageId: string
  date: Date
  from: MimeMailbox
  to: MimeMailbox[]
  cc: MimeMailbox[]
  replyTo: MimeMailbox[]
  subject: string
  /** Null or empty if there is no such part. With neither, the text is empty. */
  html: string | null
  text: string | null
  /** Further headers. The caller has checked that none of them is one that the service writes. */
  headers: { name: string; value: string }[]
  attachments: MimeAttachment[]
}

/**
 * A message as it is sent (RFC 5322, RFC 2045-2049), in lines of CRLF: a Buffer, or a stream if it has attachments, which are then never held in
 * memory. Everything is encoded to seven bits except attached messages, and addresses whose local part is not ASCII (they need SMTPUTF8 anyway).
 * Domains become A-labels.
 * There is no Bcc header: such recipients are only in the envelope. The stream fails if an attachment cannot be opened.
 */
export async function composeMessage(message: MimeMessage): Promise<Buffer | Readable> {
  const attachments = await Promise.all(message.attachments.map(async (attachment) => toPart(attachment, await formOf(attachment))))
  const node = new MailComposer({ ...composerOptions(message), attachments }).compile()
  if (attachments.some(({ contentTransferEncoding }) => contentTransferEncoding === '8bit')) labelEightBits(node)
  return message.attachments.length === 0 ? Buffer.from(withLastLineBreak(render(node))) : node.createReadStream()
}

/** A multipart with a part in eight bits says so too (RFC 2045, section 6.4). Whether there is one. */
function labelEightBits(node: MimeNode): boolean {
  if (node.childNodes.map(labelEightBits).includes(true)) node.setHeader(ENCODING, '8bit')
  return node.getHeader(ENCODING) === '8bit'
}

const ENCODING = 'Content-Transfer-Encoding'

function composerOptions(message: MimeMessage): MailComposerOptions {
  return {
    messageId: message.messageId,
    baseBoundary: boundaryOf(message.messageId),
    date: message.date,
    from: toAddress(message.from),
    to: message.to.map(toAddress),
    cc: message.cc.map(toAddress),
    replyTo: message.replyTo.map(toAddress),
    headers: [{ name: 'Subject', value: message.subject }, ...message.headers].flatMap(writtenHeader),
    newline: 'win',
    // Only what is handed in may be in a message.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...bodies(message),
  }
}

/** None if it says nothing, or nothing that a line can hold. */
function writtenHeader({ name, value }: { name: string; value: string }): { key: string; value: string | WrittenHeader }[] {
  const kind = fieldKind(name)
  if (kind === 'text') return [{ key: name, value: headerText(value) }]
  const { value: written } = asciiValue(kind, value)
  if (written === '' || !isFoldable(written)) return []
  // The composer writes the ids of this one itself, and knows no prepared form of it.
  return [{ key: name, value: name.toLowerCase() === 'references' ? written : { prepared: true, foldLines: true, value: written } }]
}

/** A message is the same whenever it is composed. Its content was written before its id was made, so it cannot contain this on purpose. */
const boundaryOf = (messageId: string): string => createHash('sha256').update(messageId).digest('hex').slice(0, BOUNDARY_LENGTH)
const BOUNDARY_LENGTH = 32

/** Strings only, because nodemailer would read a file for an object with a `path`. */
function bodies({ html, text }: MimeMessage): { html?: string; text?: string; alternatives?: MailComposerAlternative[] } {
  if (!html && !text) return { alternatives: [{ contentType: 'text/plain; charset=utf-8', content: '' }] }
  return { ...(text ? { text: withCrLf(text) } : {}), ...(html ? { html: withCrLf(html) } : {}) }
}

/** The line break of mail, whatever the caller's system uses. */
const withCrLf = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n')

const withLastLineBreak = (text: string): string => (text.endsWith('\r\n') ? text : `${text}\r\n`)

/** The output of nodemailer's streams, without the streams: for a message of strings alone, as most are, this is several times cheaper. */
function render(node: MimeNode): string {
  const head = `${node.buildHeaders()}\r\n\r\n`
  if (!node.boundary) return head + encodedContent(node)
  return `${head}--${node.boundary}\r\n${node.childNodes.map(render).join(`\r\n--${node.boundary}\r\n`)}\r\n--${node.boundary}--\r\n`
}

function encodedContent(node: MimeNode): string {
  const content = typeof node.content === 'string' ? node.content : ''
  switch (node.getTransferEncoding()) {
    case 'quoted-printable':
      return quotedPrintable.wrap(quotedPrintable.encode(content))
    case 'base64':
      return base64.wrap(base64.encode(content))
    default:
      return content
  }
}

/** As an object, so that names and addresses are not parsed again. */
const toAddress = ({ name, address }: MimeMailbox) => ({ name: collapseSpaces(name ?? ''), address })

/** The encoding of a part. A message is sent unchanged (RFC 2046, section 5.2.1), unless its lines would not survive: then it is a file. */
type PartForm = 'base64' | '7bit' | '8bit'

const formOf = async ({ contentType, open }: MimeAttachment): Promise<PartForm> =>
  isMessageType(contentType) ? ((await lineForm(await open())) ?? 'base64') : 'base64'

/** `message/global` may be encoded (RFC 6532, section 3.7). */
export const isMessageType = (contentType: string): boolean => /^message\/(?!global)/i.test(contentType)

function toPart({ filename, contentType, contentId, open }: MimeAttachment, form: PartForm): MailComposerAttachment {
  return {
    filename: filename ?? false,
    contentType: form === 'base64' && isMessageType(contentType) ? UNKNOWN_TYPE : partType(contentType),
    contentTransferEncoding: form,
    contentDisposition: contentId === null ? 'attachment' : 'inline',
    ...(contentId === null ? {} : { cid: contentId }),
    content: openedLater(open),
  }
}

const UNKNOWN_TYPE = 'application/octet-stream'

/** A multipart type would need a boundary inside the content, and an invalid type must not become a header. */
function partType(contentType: string): string {
  const isType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/.test(contentType)
  return isType && !/^multipart\//i.test(contentType) ? contentType : UNKNOWN_TYPE
}

function openedLater(open: () => Promise<Readable>): Readable {
  return Readable.from(
    (async function* () {
      yield* await open()
    })(),
    { objectMode: false },
  )
}
