// Messages that are built, and what readers make of them.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { composeMessage, type MimeAttachment, type MimeMessage } from '../../src/mail/mime-build.ts'

export const MINIMAL: MimeMessage = {
  messageId: '<0198c0de@example.com>',
  date: new Date('2026-03-04T05:06:07Z'),
  from: { name: null, address: 'from@example.com' },
  to: [{ name: null, address: 'to@example.com' }],
  cc: [],
  replyTo: [],
  subject: 'Hello',
  html: null,
  text: 'Hello',
  headers: [],
  attachments: [],
}

export async function compose(change: Partial<MimeMessage>): Promise<string> {
  const composed = await composeMessage({ ...MINIMAL, ...change })
  return (Buffer.isBuffer(composed) ? composed : await buffer(composed)).toString()
}

export async function parse(change: Partial<MimeMessage>) {
  const { headers, headerLines, ...email } = await PostalMime.parse(await compose(change), { attachmentEncoding: 'utf8' })
  return email
}

export const headersOf = (raw: string): string[] =>
  raw
    .slice(0, raw.indexOf('\r\n\r\n'))
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')

export const attachment = (change: Partial<MimeAttachment> & { content?: string | Buffer }): MimeAttachment => ({
  filename: 'note.txt',
  contentType: 'text/plain',
  contentId: null,
  open: async () => Readable.from([Buffer.from(change.content ?? 'content')]),
  ...change,
})
