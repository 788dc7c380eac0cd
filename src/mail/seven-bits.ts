// A message for a server that takes seven bits only (RFC 6152, section 3): parts with other bytes are encoded anew, and all others stay byte for byte.

import { isAscii } from 'node:buffer'
import { Readable } from 'node:stream'
import { type MimeNode, Splitter } from '@zone-eu/mailsplit'
import * as base64 from 'nodemailer/lib/base64'
import * as quotedPrintable from 'nodemailer/lib/qp'
import { Failure } from '../lib/failure.ts'
import { fieldInSevenBits, readHead } from './message-head.ts'

type Open = () => Promise<Buffer | Readable>

/** Reads the message once to find the parts, and again each time that it is read in seven bits. */
export function sevenBitForm(open: Open): () => Promise<Readable> {
  let found: Promise<ReadonlySet<number>> | null = null
  return async () => {
    found ??= eightBitParts(open)
    return Readable.from(encodedAnew(await open(), await found), { objectMode: false })
  }
}

/** The parts whose bodies have eight bits, by their places in the message. */
async function eightBitParts(open: Open): Promise<Set<number>> {
  const parts = new Set<number>()
  for await (const { chunk, place } of readChunks(await open())) if (chunk.type === 'body' && !isAscii(chunk.value)) parts.add(place)
  return parts
}

async function* readChunks(message: Buffer | Readable) {
  const source = Buffer.isBuffer(message) ? Readable.from([message], { objectMode: false }) : message
  const splitter = new Splitter({ ignoreEmbedded: true })
  source.once('error', (error) => splitter.destroy(error))
  let place = -1
  try {
    for await (const chunk of source.pipe(splitter)) {
      if (chunk.type === 'node') place += 1
      yield { chunk, place }
    }
  } finally {
    source.destroy()
  }
}

async function* encodedAnew(message: Buffer | Readable, parts: ReadonlySet<number>): AsyncGenerator<Buffer> {
  let body: BodyEncoder | null = null
  for await (const { chunk, place } of readChunks(message)) {
    if (chunk.type === 'body' && body !== null) {
      yield body.add(chunk.value)
      continue
    }
    if (body !== null) yield body.end()
    body = null
    if (chunk.type !== 'node') yield isAscii(chunk.value) ? chunk.value : withoutEighthBits(chunk.value)
    else {
      const encoding = parts.has(place) ? encodingFor(chunk) : null
      relabel(chunk, encoding)
      yield headInSevenBits(chunk.getHeaders())
      body = encoding === null ? null : BODIES[encoding]()
    }
  }
  if (body !== null) yield body.end()
}

type Encoding = 'quoted-printable' | 'base64' | 'escaped' | 'dropped'

/**
 * `escaped`, `dropped`: what is to be done with bytes that do not belong into a part that is encoded already. A message within is sent as a file: to
 * encode parts of it would break its signatures.
 */
function encodingFor({ contentType, encoding }: MimeNode): Encoding {
  if (encoding === 'base64' || UUENCODE.has(encoding || '')) return 'dropped'
  if (encoding === 'quoted-printable') return 'escaped'
  return contentType !== false && /^message\//i.test(contentType) ? 'base64' : 'quoted-printable'
}

/** Nothing registered these names, but mail programs know them. */
const UUENCODE = new Set(['x-uuencode', 'x-uue', 'uuencode', 'uue'])

function relabel(node: MimeNode, encoding: Encoding | null): void {
  if (node.headers === false || encoding === 'escaped' || encoding === 'dropped') return
  if (encoding !== null) node.headers.update('Content-Transfer-Encoding', encoding)
  else if (node.encoding === '8bit' || node.encoding === 'binary') node.headers.update('Content-Transfer-Encoding', '7bit')
  if (encoding === 'base64') node.headers.update('Content-Type', 'application/octet-stream')
  if (encoding === 'base64' && node.headers.getFirst('Content-Disposition') === '')
    node.headers.update('Content-Disposition', 'attachment; filename=message.eml')
}

function headInSevenBits(head: Buffer): Buffer {
  if (isAscii(head)) return head
  try {
    return Buffer.from(`${readHead(head).fields.flatMap(fieldInSevenBits).join('\r\n')}\r\n\r\n`)
  } catch (error) {
    if (error instanceof Failure) return withoutEighthBits(head)
    throw error
  }
}

const withoutEighthBits = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('latin1').replace(/[\x80-\xff]/g, '?'))

type BodyEncoder = { add(piece: Buffer): Buffer; end(): Buffer }

/** No more than a line waits for its end, because a message with longer lines is refused. */
const wholeLines = (bytes: Buffer): number => bytes.lastIndexOf('\n') + 1

const BODIES: Record<Encoding, () => BodyEncoder> = {
  'quoted-printable': () => inPieces(wholeLines, (bytes) => quotedPrintable.wrap(quotedPrintable.encode(bytes))),
  base64: () =>
    inPieces(
      (bytes) => bytes.length - (bytes.length % LINE_BYTES),
      (bytes) => base64Lines(bytes),
    ),
  escaped: () => inPieces(wholeLines, (bytes) => quotedPrintable.wrap(eachByte(bytes, inHex))),
  dropped: () =>
    inPieces(
      (bytes) => bytes.length,
      (bytes) => eachByte(bytes, () => ''),
    ),
}

/** Each that is not ASCII. */
const eachByte = (bytes: Buffer, written: (byte: string) => string): string => bytes.toString('latin1').replace(/[\x80-\xff]/g, written)
const inHex = (byte: string): string => `=${byte.charCodeAt(0).toString(16).toUpperCase()}`

/** 76 characters of base64. */
const LINE_BYTES = 57
const base64Lines = (bytes: Buffer): string => (bytes.length === 0 ? '' : `${base64.wrap(base64.encode(bytes))}\r\n`)

function inPieces(wholeBytes: (bytes: Buffer) => number, encode: (bytes: Buffer) => string): BodyEncoder {
  let rest: Buffer = Buffer.alloc(0)
  return {
    add(piece) {
      const bytes = Buffer.concat([rest, piece])
      const end = wholeBytes(bytes)
      rest = bytes.subarray(end)
      return Buffer.from(encode(bytes.subarray(0, end)))
    },
    end: () => Buffer.from(encode(rest)),
  }
}
