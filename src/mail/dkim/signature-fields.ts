// Which header fields a signature covers (RFC 6376, sections 5.4.1 and 5.4.2), and their relaxed form (section 3.4.2).
import { createHash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { DkimAlgorithm } from '../../lib/crypto/keys.ts'

/**
 * Signed one time more than they occur (RFC 6376, section 8.15), so that none can be added or put before another: they name the sender, the
 * recipients and the subject, decide how the body is read, and tell a reader where to unsubscribe.
 */
const OVERSIGNED = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Reply-To',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
]

/** Signed as often as they occur. A mailing list or another server on the way may add one. */
const SIGNED = [
  'Content-Transfer-Encoding',
  'Content-Disposition',
  'Content-ID',
  'In-Reply-To',
  'References',
  'Auto-Submitted',
  'Feedback-ID',
  'List-Id',
  'List-Help',
  'List-Subscribe',
  'List-Post',
  'List-Owner',
  'List-Archive',
]

export type SignedHeaders = {
  /** The names for `h=`. */
  names: string[]
  /** The fields in the same order, in relaxed form. What does not exist is nothing. */
  fields: string[]
}

/** @param head the header fields of a message, each character a byte */
export function signedHeaders(head: string): SignedHeaders {
  const byName = Map.groupBy(head.split(/\r\n(?![\t ])/), nameOf)
  // Several fields of a name are signed from the last one up.
  const fieldsOf = (name: string) => (byName.get(name.toLowerCase()) ?? []).toReversed()
  const names = [
    ...OVERSIGNED.flatMap((name) => [...fieldsOf(name).map(() => name), name]),
    ...SIGNED.flatMap((name) => fieldsOf(name).map(() => name)),
  ]
  return { names, fields: [...OVERSIGNED, ...SIGNED].flatMap(fieldsOf).map(relaxedField) }
}

/** On one line, its name in lower case, each run of spaces and tabs as one space, none of them around the colon or at the end. */
export function relaxedField(field: string): string {
  const value = field.slice(field.indexOf(':') + 1).replaceAll('\r\n', '')
  return `${nameOf(field)}:${trimmed(value.replace(/[\t ]+/g, ' '))}`
}

const nameOf = (field: string): string => trimmed(field.slice(0, Math.max(0, field.indexOf(':'))).toLowerCase())

/** Removes single spaces only: other white space may be a byte of a letter. */
function trimmed(text: string): string {
  return text.slice(text.startsWith(' ') ? 1 : 0, text.endsWith(' ') ? -1 : undefined)
}

// Makes DKIM-Signature fields (RFC 6376, section 3.5).

export type DkimSigner = {
  /** The domain of the `from` address as a lower-case A-label, so that the signature is aligned with it (RFC 7489, section 3.1.1). */
  domain: string
  selector: string
  algorithm: DkimAlgorithm
  privateKey: KeyObject
}

export type MessageToSign = {
  /** The header fields, without the empty line after them. */
  head: Buffer
  /** See `createBodyHash`. */
  bodyHash: string
  /** When the message was released, so that every try signs the same. */
  signedAt: Date
}

/** One field for each signer, each with its line end: what goes before the message. The keys are used outside of the main thread. */
export async function signatureFields({ head, ...message }: MessageToSign, signers: readonly DkimSigner[]): Promise<Buffer> {
  const headers = signedHeaders(head.toString('latin1'))
  const fields = await Promise.all(signers.map((signer) => signatureField({ headers, ...message }, signer)))
  return Buffer.from(fields.join(''))
}

type Prepared = Omit<MessageToSign, 'head'> & { headers: SignedHeaders }

async function signatureField({ headers, bodyHash, signedAt }: Prepared, { privateKey, ...signer }: DkimSigner): Promise<string> {
  const unsigned = folded([
    'DKIM-Signature: v=1;',
    ` a=${signer.algorithm};`,
    ' c=relaxed/relaxed;',
    ` d=${signer.domain};`,
    ` s=${signer.selector};`,
    ` t=${Math.floor(signedAt.getTime() / 1_000)};`,
    ...headers.names.map((name, index) => `${index === 0 ? ' h=' : ':'}${name}`),
    ';',
    ` bh=${bodyHash};`,
  ])
  // On a line of its own, so that the field is the same with and without its signature.
  const field = `${unsigned}${CONTINUED}b=`
  const signed = Buffer.from([...headers.fields, relaxedField(field)].join('\r\n'), 'latin1')
  const signature = (await ALGORITHMS[signer.algorithm](signed, privateKey)).toString('base64')
  return `${field}${piecesOf(signature).join(CONTINUED)}\r\n`
}

const signWith = promisify(sign)

const ALGORITHMS: Record<DkimAlgorithm, (signed: Buffer, key: KeyObject) => Promise<Buffer>> = {
  'rsa-sha256': (signed, key) => signWith('sha256', signed, key),
  // RFC 8463, section 3: what is signed is the hash.
  'ed25519-sha256': (signed, key) => signWith(null, createHash('sha256').update(signed).digest(), key),
}

/** RFC 5322, section 2.1.1, recommends 78. */
const LINE_LENGTH_MAX = 76
const CONTINUED = '\r\n '
const PIECE_LENGTH = LINE_LENGTH_MAX - ' b='.length

/** Breaks lines before words. A word that is too long has a line of its own. */
function folded(words: string[]): string {
  let text = ''
  let lineLength = 0
  for (const word of words) {
    const fits = lineLength + word.length <= LINE_LENGTH_MAX || lineLength === 0
    const written = fits ? word : `${CONTINUED}${word.trimStart()}`
    text += written
    lineLength = fits ? lineLength + word.length : written.length - '\r\n'.length
  }
  return text
}

/** Base64 may be broken anywhere. */
const piecesOf = (signature: string): string[] =>
  Array.from({ length: Math.ceil(signature.length / PIECE_LENGTH) }, (_, index) =>
    signature.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH),
  )
