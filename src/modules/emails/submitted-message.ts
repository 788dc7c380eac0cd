import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type MimeNode, Splitter } from '@zone-eu/mailsplit'
import { inPieces } from '../../lib/main-thread.ts'
import { type EncodedText, quotedPrintableText } from '../../mail/transfer-encoding.ts'

/** A message that is sent as its client made it. `head`: the header fields with those that the service writes, without the empty line after them. */
export type SubmittedContent = {
  head: string
  /** A small body itself, or where a large one begins in its blob. */
  body: Buffer | { blobKey: string; start: number }
  /** Which of its parts, from 0 in the order of the message, is the HTML that may be tracked; null if there is none. */
  htmlPart: number | null
}

/** That of a large message is in UTF-8, which the thread writes that reads it: to write 15 MB takes a processor 70 ms. */
export type SubmittedText = string | Uint8Array | null

/** What is accepted with an email. `bytes`: of the blob. */
export type NewSubmittedContent = Omit<SubmittedContent, 'body'> & {
  body: Buffer | { blobKey: string; start: number; bytes: number }
  html: SubmittedText
  text: SubmittedText
}

// A message that was submitted, as it is sent: the header that was made of its own, and its body.

export const submittedMessage = (head: string, body: Buffer): Buffer => Buffer.concat([headBytes(head), body])

/** The body is read as the stream is. */
export const submittedStream = (head: string, body: Readable): Readable => Readable.from(beginningWith(head, body), { objectMode: false })

async function* beginningWith(head: string, body: Readable): AsyncGenerator<Buffer> {
  yield headBytes(head)
  yield* body
}

const headBytes = (head: string): Buffer => Buffer.from(`${head}\r\n\r\n`)

/** Long HTML is encoded before, in a thread. */
type Replacement = { place: number; html: string | EncodedText }

/** The message with other HTML in the part at that place, counted from 0. What else it has stays byte for byte. */
export async function withHtml(message: Buffer | Readable, replacement: Replacement): Promise<Buffer | Readable> {
  const source = Buffer.isBuffer(message) ? Readable.from([message], { objectMode: false }) : message
  const changed = Readable.from(replaceHtml(source, replacement), { objectMode: false })
  return Buffer.isBuffer(message) ? buffer(changed) : changed
}

async function* replaceHtml(source: Readable, { place, html }: Replacement): AsyncGenerator<Buffer> {
  const { encoding, content } = typeof html === 'string' ? quotedPrintableText(html) : html
  const splitter = new Splitter({ ignoreEmbedded: true })
  source.once('error', (error) => splitter.destroy(error))
  let nodes = 0
  let replaced: MimeNode | null = null
  try {
    for await (const chunk of source.pipe(splitter)) {
      if (chunk.type !== 'node') {
        if (chunk.type !== 'body' || chunk.node !== replaced) yield Buffer.from(chunk.value)
        continue
      }
      nodes += 1
      if (nodes - 1 === place) {
        replaced = chunk
        encodeAnew(chunk, encoding)
        yield chunk.getHeaders()
        yield* inPieces(content)
        yield LINE_BREAK
      } else yield chunk.getHeaders()
    }
  } finally {
    source.destroy()
  }
}

function encodeAnew(node: MimeNode, encoding: string): void {
  node.setCharset('utf-8')
  if (node.headers !== false) node.headers.update('Content-Transfer-Encoding', encoding)
}

const LINE_BREAK = Buffer.from('\r\n')
