// A message that was handed in, as it is sent: the header that was made of its own, and its body.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type MimeNode, Splitter } from '@zone-eu/mailsplit'
import * as quotedPrintable from 'nodemailer/lib/qp'

export const submittedMessage = (head: string, body: Buffer): Buffer => Buffer.concat([headBytes(head), body])

/** The body is read as the stream is. */
export const submittedStream = (head: string, body: Readable): Readable => Readable.from(beginningWith(head, body), { objectMode: false })

async function* beginningWith(head: string, body: Readable): AsyncGenerator<Buffer> {
  yield headBytes(head)
  yield* body
}

const headBytes = (head: string): Buffer => Buffer.from(`${head}\r\n\r\n`)

type Replacement = { place: number; html: string }

/** The message with other HTML in the part at that place, counted from 0. What else it has stays byte for byte. */
export async function withHtml(message: Buffer | Readable, replacement: Replacement): Promise<Buffer | Readable> {
  const source = Buffer.isBuffer(message) ? Readable.from([message], { objectMode: false }) : message
  const changed = Readable.from(replaceHtml(source, replacement), { objectMode: false })
  return Buffer.isBuffer(message) ? buffer(changed) : changed
}

async function* replaceHtml(source: Readable, { place, html }: Replacement): AsyncGenerator<Buffer> {
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
        encodeAnew(chunk)
        yield chunk.getHeaders()
        yield encoded(html)
      } else yield chunk.getHeaders()
    }
  } finally {
    source.destroy()
  }
}

function encodeAnew(node: MimeNode): void {
  node.setCharset('utf-8')
  if (node.headers !== false) node.headers.update('Content-Transfer-Encoding', 'quoted-printable')
}

const encoded = (html: string): Buffer =>
  Buffer.from(`${quotedPrintable.wrap(quotedPrintable.encode(html.replace(/\r\n?|\n/g, '\r\n')))}\r\n`)
