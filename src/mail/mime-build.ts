import { isAscii } from 'node:buffer'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import MailComposer, {
  type MailComposerAlternative,
  type MailComposerAttachment,
  type MailComposerOptions,
} from 'nodemailer/lib/mail-composer'
import type MimeNode from 'nodemailer/lib/mime-node'
import { inPieces } from '../lib/main-thread.ts'
import { asciiValue, fieldKind, isFoldable, LINE_OCTETS_MAX } from './header-fields.ts'
import { collapseSpaces, headerText, type WrittenHeader } from './header-text.ts'
import { type EncodedText, encodedText } from './transfer-encoding.ts'

// Which encoding the lines of a text need to be sent unchanged (RFC 2045, sections 2.7 and 2.8).

/** Null if they cannot: a line is too long, or there is a NUL, or a CR without its LF. A bare LF becomes a line break. Reads to where that is known. */
export async function lineForm(content: Readable): Promise<'7bit' | '8bit' | null> {
  let form: '7bit' | '8bit' = '7bit'
  let lineBytes = 0
  let isAfterCr = false
  for await (const piece of content) {
    const bytes: Buffer = piece
    let cr = bytes.indexOf(CR)
    if (bytes.includes(0)) return null
    if (!isAscii(bytes)) form = '8bit'
    for (let at = 0; at < bytes.length; ) {
      if (isAfterCr && bytes[at] !== LF) return null
      const lf = bytes.indexOf(LF, at)
      if (cr !== -1 && cr < at) cr = bytes.indexOf(CR, at)
      const end = lf === -1 ? bytes.length : lf
      if (cr !== -1 && cr < end - 1) return null
      isAfterCr = cr !== -1 && cr === end - 1 && lf === -1
      lineBytes += end - at - (cr !== -1 && cr === end - 1 ? 1 : 0)
      if (lineBytes > LINE_OCTETS_MAX) return null
      if (lf === -1) break
      lineBytes = 0
      at = lf + 1
    }
  }
  return isAfterCr ? null : form
}

const LF = 0x0a
const CR = 0x0d

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
  /** Null or empty if there is no such part. With neither, the text is empty. A long one is encoded before, in a thread. */
  html: string | EncodedText | null
  text: string | EncodedText | null
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
  const attachments = await Promise.all(message.attachments.map(async (attachment) => toPart(attachment, await choosePartForm(attachment))))
  const node = new MailComposer({ ...composerOptions(message), attachments }).compile()
  const texts = encodedTexts(node, message)
  if (attachments.some(({ contentTransferEncoding }) => contentTransferEncoding === '8bit')) labelEightBits(node)
  if (message.attachments.length === 0) return withLastLineBreak(Buffer.concat(render(node, texts)))
  for (const [part, { content }] of texts) part.setRaw(Readable.from(rawPart(part, content), { objectMode: false }))
  return node.createReadStream()
}

type EncodedTexts = ReadonlyMap<MimeNode, EncodedText>

/** The texts that stand in the place of what the composer was given, each with its label. */
function encodedTexts(node: MimeNode, { html, text }: Pick<MimeMessage, 'html' | 'text'>): EncodedTexts {
  const texts = new Map<MimeNode, EncodedText>()
  for (const part of leavesOf(node)) {
    if (part.content !== PLACEHOLDER) continue
    const given = String(part.getHeader('Content-Type')).startsWith('text/html') ? html : text
    const encoded = typeof given === 'object' && given !== null ? given : encodedText(given ?? '')
    part.setHeader(ENCODING, encoded.encoding)
    texts.set(part, encoded)
  }
  return texts
}

const leavesOf = (node: MimeNode): MimeNode[] => (node.childNodes.length === 0 ? [node] : node.childNodes.flatMap(leavesOf))

async function* rawPart(part: MimeNode, content: Uint8Array): AsyncGenerator<Buffer> {
  yield Buffer.from(`${part.buildHeaders()}\r\n\r\n`)
  yield* inPieces(content)
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

function bodies({ html, text }: MimeMessage): { html?: string; text?: string; alternatives?: MailComposerAlternative[] } {
  if (!html && !text) return { alternatives: [{ contentType: 'text/plain; charset=utf-8', content: '' }] }
  return { ...(text ? { text: PLACEHOLDER } : {}), ...(html ? { html: PLACEHOLDER } : {}) }
}

/** Texts are encoded without the composer, because it does so in one piece. It may look at this instead, in which every encoding is possible. */
const PLACEHOLDER = 'x'

const LINE_BREAK = Buffer.from('\r\n')

const withLastLineBreak = (message: Buffer): Buffer =>
  message.subarray(-LINE_BREAK.length).equals(LINE_BREAK) ? message : Buffer.concat([message, LINE_BREAK])

/** The output of nodemailer's streams, without the streams: for a message of texts alone, as most are, this is several times cheaper. */
function render(node: MimeNode, texts: EncodedTexts): Uint8Array[] {
  const head = `${node.buildHeaders()}\r\n\r\n`
  if (!node.boundary) return [Buffer.from(head), texts.get(node)?.content ?? NOTHING]
  const parts = node.childNodes.flatMap((part, index) => [
    Buffer.from(`${index === 0 ? '' : '\r\n'}--${node.boundary}\r\n`),
    ...render(part, texts),
  ])
  return [Buffer.from(head), ...parts, Buffer.from(`\r\n--${node.boundary}--\r\n`)]
}

const NOTHING = Buffer.alloc(0)

/** As an object, so that names and addresses are not parsed again. */
const toAddress = ({ name, address }: MimeMailbox) => ({ name: collapseSpaces(name ?? ''), address })

/** The encoding of a part. A message is sent unchanged (RFC 2046, section 5.2.1), unless its lines would not survive: then it is a file. */
type PartForm = 'base64' | '7bit' | '8bit'

const choosePartForm = async ({ contentType, open }: MimeAttachment): Promise<PartForm> =>
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
