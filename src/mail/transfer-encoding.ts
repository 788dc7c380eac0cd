// The texts of a message in the form that they are sent in (RFC 2045, section 6).
import * as base64 from 'nodemailer/lib/base64'
import MimeNode from 'nodemailer/lib/mime-node'
import * as quotedPrintable from 'nodemailer/lib/qp'
import { assertMainThreadWork } from '../lib/main-thread.ts'

export type TextEncoding = '7bit' | 'quoted-printable' | 'base64'

/** `content`: ASCII, in lines of CRLF. */
export type EncodedText = { encoding: TextEncoding; content: Uint8Array }

/** In the encoding that the composer finds best: as it is if it is ASCII in short lines, and in base64 if most of its letters are not Latin. */
export function encodedText(text: string): EncodedText {
  assertMainThreadWork(text)
  const content = withCrLf(text)
  const node = new MimeNode('text/plain', { baseBoundary: UNUSED }).setContent(content)
  const encoding = node.getTransferEncoding()
  if (encoding === 'base64') return { encoding, content: Buffer.from(base64.wrap(base64.encode(content))) }
  if (encoding === 'quoted-printable') return { encoding, content: inQuotedPrintable(content) }
  return { encoding: '7bit', content: Buffer.from(content) }
}

/** For a part whose label stays: it suits every text. */
export function quotedPrintableText(text: string): EncodedText {
  assertMainThreadWork(text)
  return { encoding: 'quoted-printable', content: inQuotedPrintable(withCrLf(text)) }
}

/** The composer would draw one. A text has none. */
const UNUSED = 'x'

const inQuotedPrintable = (text: string): Buffer => Buffer.from(quotedPrintable.wrap(quotedPrintable.encode(text)))

/** The line break of mail, whatever the caller's system uses. */
const withCrLf = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n')
