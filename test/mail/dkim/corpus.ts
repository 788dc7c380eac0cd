// Messages of every kind that the service sends, for what must hold for all of them.
import { Readable } from 'node:stream'
import type { MimeAttachment, MimeMessage } from '../../../src/mail/mime-build.ts'

export const MINIMAL: MimeMessage = {
  messageId: '<0198c0de@example.com>',
  date: new Date('2026-03-04T05:06:07Z'),
  from: { name: null, address: 'from@example.com' },
  to: [{ name: null, address: 'to@example.org' }],
  cc: [],
  replyTo: [],
  subject: 'Hello',
  html: null,
  text: 'Hello',
  headers: [],
  attachments: [],
}

export const attachment = (content: string | Buffer, change: Partial<MimeAttachment> = {}): MimeAttachment => ({
  filename: 'note.txt',
  contentType: 'text/plain',
  contentId: null,
  open: async () => Readable.from([Buffer.from(content)]),
  ...change,
})

const LARGE_BYTES = 40 * 1024 * 1024
const LARGE_CHUNK_BYTES = 64 * 1024

/** 40 MB, a chunk at a time. `onChunk` is called before each, with the bytes so far. */
export const largeAttachment = (onChunk: (bytes: number) => void = () => {}): MimeAttachment =>
  attachment('', {
    filename: 'large.bin',
    contentType: 'application/octet-stream',
    open: async () =>
      Readable.from(
        (function* () {
          for (let bytes = 0; bytes < LARGE_BYTES; bytes += LARGE_CHUNK_BYTES) {
            onChunk(bytes)
            yield Buffer.alloc(LARGE_CHUNK_BYTES, bytes / LARGE_CHUNK_BYTES)
          }
        })(),
        { objectMode: false },
      ),
  })

const everyByte = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256))
const inner = Buffer.from('Subject: Inner\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nHello \r\n--x--\r\n')

export const CORPUS: [name: string, change: Partial<MimeMessage>][] = [
  ['text alone', {}],
  ['html and text', { html: '<p>Hello</p>', text: 'Hello' }],
  ['eight bits', { html: '<p>Grüße, 山田さん 🎉</p>', text: 'Grüße, 山田さん 🎉' }],
  ['long lines', { text: 'x'.repeat(10_000), html: `<p>${'word '.repeat(5_000)}</p>` }],
  ['an empty body', { text: '' }],
  ['empty lines alone', { text: '\n\n\n' }],
  ['spaces alone', { text: '   \n \t \n' }],
  ['empty lines around', { text: '\n\nHello\n\n\n\nWorld\n\n\n\n' }],
  ['spaces and tabs at the ends of lines', { text: 'a \nb\t\n c  d \t e   \n\n' }],
  ['dots', { text: '.\n..\n.hidden\n.' }],
  ['From at the start of a line', { text: 'From here\nFrom there\n' }],
  ['bare line breaks', { text: 'a\nb\rc\r\nd' }],
  [
    'folded headers',
    { subject: 'Many words '.repeat(60), to: Array.from({ length: 50 }, (_, index) => mailbox(`to${index}@example.org`)) },
  ],
  ['a subject of one long word', { subject: 'x'.repeat(998) }],
  ['an encoded subject', { subject: 'Grüße '.repeat(40) }],
  ['runs of spaces in headers', { subject: `a${' '.repeat(100)}b`, headers: [{ name: 'In-Reply-To', value: '  <a@example.com>   ' }] }],
  ['no subject', { subject: '' }],
  [
    'every address header',
    { cc: [mailbox('cc@example.org')], replyTo: [mailbox('reply@example.com'), { name: 'Smith, "Jo"', address: 'jo@example.com' }] },
  ],
  ['IDN', { to: [mailbox('to@例え.jp')], cc: [mailbox('cc@bücher.example')] }],
  [
    'display names in any script',
    { from: { name: '山田 Zoë à 🎉', address: 'from@example.com' }, to: [{ name: 'مرحبا', address: 'to@example.org' }] },
  ],
  ['addresses that are not ASCII', { to: [mailbox('voilà@example.org'), mailbox('用户@例え.jp')] }],
  [
    'bulk mail',
    {
      headers: [
        { name: 'List-Unsubscribe', value: '<https://example.com/u>, <mailto:u@example.com>' },
        { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
        { name: 'List-Id', value: 'News <news.example.com>' },
        { name: 'Feedback-ID', value: 'a:b:c:d' },
        { name: 'X-Campaign', value: 'Frühling 🌷' },
        { name: 'References', value: Array.from({ length: 30 }, (_, index) => `<${index}@example.com>`).join(' ') },
      ],
    },
  ],
  ['a header twice', { headers: [mailHeader('X-Tag'), mailHeader('References'), mailHeader('references')] }],
  ['an attachment', { attachments: [attachment(everyByte, { filename: 'größe 山.bin', contentType: 'application/zip' })] }],
  ['an empty attachment', { attachments: [attachment('', { filename: null })] }],
  [
    'nested parts',
    {
      html: '<img src="cid:logo">',
      attachments: [
        attachment(everyByte, { contentId: 'logo', contentType: 'image/png', filename: 'logo.png' }),
        attachment(inner, { contentType: 'message/rfc822', filename: 'inner.eml' }),
        attachment('.\r\n. \r\n\r\n', { filename: 'dots.txt' }),
      ],
    },
  ],
]

function mailbox(address: string) {
  return { name: null, address }
}

function mailHeader(name: string) {
  return { name, value: `<${name}@example.com>` }
}
