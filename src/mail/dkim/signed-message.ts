// Composes messages with their DKIM signatures.
import { Readable } from 'node:stream'
import { inPieces } from '../../lib/main-thread.ts'
import { composeMessage, type MimeMessage } from '../mime-build.ts'
import { type BodyHashes, createBodyHash } from './body-hash.ts'
import { type DkimSigner, signatureFields } from './signature-fields.ts'

export type Signing = {
  /** If there are none, the message is as `composeMessage` makes it. */
  signers: readonly DkimSigner[]
  /** Messages with the same key have the same body. */
  bodyKey: string
  bodyHashes: BodyHashes
}

/** A message without its signatures. It is held in memory, or composed twice and never held. */
export type UnsignedMessage = { compose: () => Promise<Buffer | Readable>; isStreamed: boolean; date: Date }

export const composeSignedMessage = (message: MimeMessage, signing: Signing): Promise<Buffer | Readable> =>
  signMessage({ compose: () => composeMessage(message), isStreamed: message.attachments.length > 0, date: message.date }, signing)

/**
 * Signatures come before the body that they are computed from. So a message with attachments is composed twice, once to hash its body and once to
 * send it, and is never held in memory. It opens nothing before it is read. It fails if an attachment cannot be opened.
 */
export async function signMessage(message: UnsignedMessage, signing: Signing): Promise<Buffer | Readable> {
  if (signing.signers.length === 0) return message.compose()
  if (message.isStreamed) return Readable.from(signedChunks(message, signing), { objectMode: false })
  const composed = await message.compose()
  if (!Buffer.isBuffer(composed)) throw new Error('A message that is not streamed is composed in memory')
  const { head, body } = split(composed)
  const bodyHash = await signing.bodyHashes.of(signing.bodyKey, () => hashOfBody(body))
  return Buffer.concat([await signatureFields({ head, bodyHash, signedAt: message.date }, signing.signers), composed])
}

async function* signedChunks(message: UnsignedMessage, { signers, bodyKey, bodyHashes }: Signing): AsyncGenerator<Buffer> {
  const bodyHash = await bodyHashes.of(bodyKey, () => hashWhileComposing(message))
  let isSigned = false
  for await (const chunk of readChunks(message)) {
    if (!isSigned) yield await signatureFields({ head: split(chunk).head, bodyHash, signedAt: message.date }, signers)
    isSigned = true
    yield chunk
  }
}

async function hashOfBody(body: Buffer): Promise<string> {
  const hash = createBodyHash()
  for await (const piece of inPieces(body)) hash.update(piece)
  return hash.digest()
}

async function hashWhileComposing(message: UnsignedMessage): Promise<string> {
  const hash = createBodyHash()
  let isInBody = false
  for await (const chunk of readChunks(message)) {
    hash.update(isInBody ? chunk : split(chunk).body)
    isInBody = true
  }
  return hash.digest()
}

/** The first chunk holds the whole head. Leaving the loop closes what the message has opened. */
async function* readChunks(message: UnsignedMessage): AsyncGenerator<Buffer> {
  const composed = await message.compose()
  let beginning: Buffer | null = Buffer.alloc(0)
  for await (const chunk of Buffer.isBuffer(composed) ? [composed] : composed) {
    if (beginning === null) {
      yield chunk
      continue
    }
    beginning = Buffer.concat([beginning, chunk])
    if (beginning.length > HEAD_BYTES_MAX) throw new Error('The head of a message does not end')
    if (!beginning.includes(HEAD_END)) continue
    yield beginning
    beginning = null
  }
}

const HEAD_END = '\r\n\r\n'

/** Several times what the limits for recipients and custom headers allow. */
const HEAD_BYTES_MAX = 4 * 1024 * 1024

function split(message: Buffer): { head: Buffer; body: Buffer } {
  const end = message.indexOf(HEAD_END)
  if (end === -1) throw new Error('A message has an empty line after its head')
  return { head: message.subarray(0, end), body: message.subarray(end + HEAD_END.length) }
}
