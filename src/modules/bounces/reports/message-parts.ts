// Takes a message apart (RFC 2045, 2046), as far as a report needs it, in bounded memory whatever comes.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { type MessageChunk, type MimeNode, Splitter, type SplitterChunk } from '@zone-eu/mailsplit'
import { decodedText, headText } from '../../../mail/decoded-text.ts'
import { type Fields, OF_REPORTS, readFields } from '../../../mail/mime-fields.ts'

/** `text` is decoded, with `\n` at the ends of lines, and empty for parts that are neither text nor messages. */
export type Part = { contentType: string; isAttachment: boolean; fields: Fields; text: string }

/** The first is the message itself. A returned message is one part: its own parts are not looked at. */
export async function readParts(message: AsyncIterable<Uint8Array>): Promise<Part[]> {
  const collected: Collected[] = []
  const source = boundedSource(message)
  const splitter = new Splitter({ ignoreEmbedded: true, maxHeadSize: HEAD_BYTES_MAX, maxChildNodes: PARTS_MAX })
  const bytes = Readable.from(source.chunks())
  bytes.once('error', (error) => splitter.destroy(error))
  splitter.on('data', (chunk) => {
    collect(collected, chunk)
    if (isEnough(collected)) splitter.destroy()
  })
  bytes.pipe(splitter)
  // The message may end it: too many parts, a head that is too large, or enough was read. What came before that is kept.
  await finished(splitter).catch(() => undefined)
  bytes.destroy()
  if (source.failure()) throw source.failure()
  const parts = await Promise.all(collected.map(toPart))
  return isUnparted(collected) ? parts.map((part) => ({ ...part, contentType: 'text/plain' })) : parts
}

type Collected = { node: MimeNode; chunks: Uint8Array[]; bytes: number }

/** A report of two thousand recipients has half of it. What follows is the returned message. */
export const READ_BYTES_MAX = 512 * 1024

const HEAD_BYTES_MAX = 256 * 1024

/** Reports have three, and gateways add a few. */
const PARTS_MAX = 200

const PART_BYTES_MAX = READ_BYTES_MAX

/** Only the head of a returned message is read. */
const RETURNED_BYTES_MAX = 128 * 1024

/** Tells a failure of the storage, which is the caller's, from what a message holds. */
function boundedSource(message: AsyncIterable<Uint8Array>) {
  let failure: unknown = null
  async function* chunks() {
    let left = READ_BYTES_MAX
    try {
      for await (const chunk of message) {
        yield chunk.subarray(0, left)
        left -= chunk.length
        if (left <= 0) return
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  return { chunks, failure: () => failure }
}

function collect(collected: Collected[], chunk: SplitterChunk): void {
  if (chunk.type === 'node') {
    collected.push({ node: chunk, chunks: [], bytes: 0 })
    return
  }
  const part = collected.at(-1)
  // What stands outside of the parts, such as the words before the first, belongs to no part.
  if (part?.node !== chunk.node || !(isBody(chunk) || isUnparted(collected))) return
  const left = (isReturned(chunk.node) ? RETURNED_BYTES_MAX : PART_BYTES_MAX) - part.bytes
  if (left <= 0) return
  // A copy: the chunk is a view of a buffer that may be many times its size.
  const kept = Uint8Array.from(chunk.value.subarray(0, left))
  part.chunks.push(kept)
  part.bytes += kept.length
}

const isBody = ({ type, node }: MessageChunk): boolean => type === 'body' && isReadable(node)

/** A report may say that it has parts, and have none: then it is all text. */
const isUnparted = (collected: readonly Collected[]): boolean => collected.length === 1 && collected[0]?.node.multipart !== false

const isReadable = ({ contentType }: MimeNode): boolean =>
  contentType === false || /^(?:text|message)\/|\/delivery-status$/.test(contentType)

export const isReturned = ({ contentType }: { contentType: string | false }): boolean => RETURNED.has(contentType || '')

const RETURNED = new Set([
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'text/rfc822',
  'message/global-headers',
  'message/partial',
])

/** The report was read, and of the returned message as much as will be. */
const isEnough = (collected: readonly Collected[]): boolean => {
  const last = collected.at(-1)
  return collected.length > 2 && last !== undefined && isReturned(last.node) && last.bytes >= RETURNED_BYTES_MAX
}

async function toPart({ node, chunks }: Collected): Promise<Part> {
  const body = await decodedBody(node, Buffer.concat(chunks))
  return {
    contentType: node.contentType || 'text/plain',
    isAttachment: node.disposition === 'attachment',
    fields: readFields(headText(node.getHeaders()), { ...OF_REPORTS, isHead: true }),
    text: decodedText(body, charsetOf(node, body)).replace(/\r\n?/g, '\n'),
  }
}

async function decodedBody(node: MimeNode, body: Buffer): Promise<Buffer> {
  if (node.encoding !== 'quoted-printable' && !(node.encoding === 'base64' && isBase64(body))) return body
  const decoder = node.getDecoder()
  decoder.end(body)
  return buffer(decoder)
}

/** Some gateways write a text of their own into a part that says it is encoded. Its first line has spaces. */
const isBase64 = (body: Buffer): boolean =>
  /^[A-Za-z0-9+/=\s]*$/.test(body.subarray(0, 1024).toString('latin1')) && !/\w {1,3}\w/.test(body.subarray(0, 1024).toString('latin1'))

/** UTF-16 has a zero in every other byte of what is ASCII; a text that has none is labeled wrongly. */
function charsetOf({ charset }: MimeNode, body: Buffer): string | false {
  return charset !== false && /^utf-?16/i.test(charset) && !body.subarray(0, 1024).includes(0) && !hasByteOrderMark(body) ? false : charset
}

const hasByteOrderMark = (body: Buffer): boolean => (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)
