import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { composeMessage, type MimeAttachment } from '../../src/mail/mime-build.ts'
import { encodedText } from '../../src/mail/transfer-encoding.ts'
import { attachment, compose, headersOf, MINIMAL, parse } from './mime-messages.ts'

describe('bodies', () => {
  it('has html and text as alternatives', async () => {
    expect(await parse({ html: '<p>Grüße</p>', text: 'Grüße' })).toEqual({
      from: { name: '', address: 'from@example.com' },
      to: [{ name: '', address: 'to@example.com' }],
      subject: 'Hello',
      messageId: '<0198c0de@example.com>',
      date: '2026-03-04T05:06:07.000Z',
      html: expect.stringMatching(/^<p>Grüße<\/p>\n?$/),
      text: expect.stringMatching(/^Grüße\n?$/),
      attachments: [],
    })
  })

  it('has html alone when there is no text', async () => {
    const raw = await compose({ html: '<p>Hello</p>', text: null })
    expect(headersOf(raw)).toContain('Content-Type: text/html; charset=utf-8')
  })

  it.each([
    ['null', null],
    ['empty', ''],
  ])('has an empty text when html and text are %s', async (_, nothing) => {
    const raw = await compose({ html: nothing, text: nothing })
    expect(headersOf(raw)).toContain('Content-Type: text/plain; charset=utf-8')
    expect(raw.slice(raw.indexOf('\r\n\r\n')).trim()).toBe('')
  })

  it('has an empty text before the attachments', async () => {
    const email = await parse({ text: null, attachments: [attachment({})] })
    expect([email.text?.trim() ?? '', email.attachments.length]).toEqual(['', 1])
  })

  it.each([
    ['998 characters', 'x'.repeat(998)],
    ['10,000 characters', 'x'.repeat(10_000)],
    ['998 emoji', '🎉'.repeat(998)],
    ['dots', '.\n..\n.hidden'],
    ['trailing spaces', 'a \nb\t\n'],
    ['bare line breaks', 'a\nb\rc\r\nd'],
    ['From at the start of a line', 'From here\nFrom there'],
  ])('keeps lines of %s, none of them over 76 characters, all ended by CRLF', async (_, text) => {
    const raw = await compose({ text, html: null })
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    const body = raw.slice(raw.indexOf('\r\n\r\n') + 4)
    expect(Math.max(...body.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(76)
    expect((await PostalMime.parse(raw)).text?.trimEnd()).toBe(text.replace(/\r\n?/g, '\n').trimEnd())
  })

  it('gives back any text and html, in seven bits', async () => {
    const words = fc.string({
      unit: fc.constantFrom('a', 'é', '🎉', '\n', ' ', '.', '=', '\t', 'From ', '-', '<', '&', 'word word word '),
      maxLength: 200,
    })
    await fc.assert(
      fc.asyncProperty(words, words, async (text, html) => {
        const raw = await compose({ text: `${text}.`, html: `<p>${html}</p>` })
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is asked for.
        expect(raw).toMatch(/^[\x00-\x7f]*$/)
        const email = await PostalMime.parse(raw)
        expect([email.text, email.html].map((part) => part?.replaceAll('\r\n', '\n').trimEnd())).toEqual([`${text}.`, `<p>${html}</p>`])
      }),
      { numRuns: 200 },
    )
  })
})

describe('a text', () => {
  const TEXTS = ['Hello\r\n', 'Grüße, \t\r\nAda ', '東京\r\n'.repeat(100), 'a\u0000b', `${'one line of words, '.repeat(50)}.`, '=\r\n.\r\n']

  it.each(TEXTS)('is encoded as nodemailer does it: %j', async (text) => {
    const raw = await compose({ text, html: text })
    const theirs = await new MailComposer({ text, html: text, newline: 'win', baseBoundary: 'x' }).compile().build()
    const partsOf = (message: string) => message.split(/\r\n--[\w-]+(?:--)?\r\n/).slice(1)
    expect(partsOf(raw)).toEqual(partsOf(theirs.toString()))
  })

  it.each([...TEXTS, ...TEXTS.map((text) => text.repeat(100_000 / text.length))])(
    'has the same bytes if it was encoded before, with files and without: %.20j',
    async (text) => {
      const encoded = { html: encodedText(text), text: encodedText(text) }
      for (const attachments of [[], [attachment({})], [attachment({ contentId: 'logo' })]]) {
        const raw = await compose({ html: text, text, attachments })
        expect(await compose({ ...encoded, attachments })).toBe(raw)
        expect(await compose({ ...encoded, text: null, attachments })).toBe(await compose({ html: text, text: null, attachments }))
      }
      const parts = async (attachments: MimeAttachment[]) =>
        (await compose({ ...encoded, attachments })).split('Content-Transfer-Encoding: ')
      const [, alone] = await parts([])
      const [, beside] = await parts([attachment({})])
      expect(beside?.split('\r\n--')[0]).toBe(alone?.split('\r\n--')[0])
    },
  )
})

describe('attachments', () => {
  it('come after the bodies, as they are', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256))
    const raw = await compose({
      html: '<p>Hi</p>',
      attachments: [attachment({ filename: 'größe 山.bin', contentType: 'application/zip', content: bytes }), attachment({})],
    })
    const { html, text, attachments } = await PostalMime.parse(raw)
    expect([html?.trim(), text?.trim()]).toEqual(['<p>Hi</p>', 'Hello'])
    expect(attachments.map(({ filename, mimeType, disposition }) => ({ filename, mimeType, disposition }))).toEqual([
      { filename: 'größe 山.bin', mimeType: 'application/zip', disposition: 'attachment' },
      { filename: 'note.txt', mimeType: 'text/plain', disposition: 'attachment' },
    ])
    expect(Buffer.compare(Buffer.from(attachments[0]?.content as ArrayBuffer), bytes)).toBe(0)
  })

  it('with a content id are related to the html that shows them', async () => {
    const raw = await compose({
      html: '<img src="cid:logo">',
      attachments: [attachment({ filename: 'logo.png', contentType: 'image/png', contentId: 'logo' }), attachment({})],
    })
    expect(headersOf(raw).join('\n')).toMatch(/multipart\/mixed/)
    expect(raw).toMatch(/multipart\/related/)
    const { attachments } = await PostalMime.parse(raw, { attachmentEncoding: 'utf8' })
    expect(attachments).toEqual([
      {
        filename: 'logo.png',
        mimeType: 'image/png',
        disposition: 'inline',
        related: true,
        contentId: '<logo>',
        content: 'content',
        encoding: 'utf8',
      },
      { filename: 'note.txt', mimeType: 'text/plain', disposition: 'attachment', content: 'content', encoding: 'utf8' },
    ])
  })

  it('are opened one after the other, when the message comes to them', async () => {
    const opened: string[] = []
    const watched = (name: string) =>
      attachment({
        open: async () => {
          opened.push(name)
          return Readable.from([Buffer.alloc(1_000_000)])
        },
      })
    const message = await composeMessage({ ...MINIMAL, attachments: [watched('first'), watched('second')] })
    if (Buffer.isBuffer(message)) throw new Error('A message with attachments is a stream')
    const chunks = message[Symbol.asyncIterator]()
    await chunks.next()
    expect(opened).not.toContain('second')
    await buffer(message)
    expect(opened).toEqual(['first', 'second'])
  })

  it('fail the message when one cannot be opened', async () => {
    const open = async () => Promise.reject(new Error('no such blob'))
    await expect(compose({ attachments: [attachment({ open })] })).rejects.toThrow('no such blob')
  })

  it.each([
    ['multipart/mixed', 'application/octet-stream'],
    ['nonsense', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('of type %j are sent as %s, in base64', async (contentType, expected) => {
    const raw = await compose({ attachments: [attachment({ contentType, content: 'Subject: ü\r\n\r\ninner\r\n' })] })
    expect(raw).toContain(`Content-Type: ${expected}`)
    expect(raw).not.toContain('inner')
  })

  it.each([
    ['7bit', 'Subject: Hi\r\n\r\ninner\r\n', 'Subject: Hi\r\n\r\ninner\r\n'],
    ['8bit', 'Subject: Grüße\r\n\r\ninner', 'Subject: Grüße\r\n\r\ninner'],
    ['7bit', 'Subject: Hi\n\ninner\n', 'Subject: Hi\r\n\r\ninner\r\n'],
    ['7bit', `Subject: Hi\r\n\r\n${'x'.repeat(998)}\r\n`, `Subject: Hi\r\n\r\n${'x'.repeat(998)}\r\n`],
  ])('that are messages are sent in %s, with their lines kept: %.20j', async (encoding, content, sent) => {
    const open = async () => Readable.from(Array.from(Buffer.from(content), (byte) => Buffer.from([byte])))
    const raw = await compose({ attachments: [attachment({ filename: 'a.eml', contentType: 'message/rfc822', open })] })
    const head = `Content-Type: message/rfc822; name=a.eml\r\nContent-Transfer-Encoding: ${encoding}\r\nContent-Disposition: attachment; filename=a.eml`
    expect(raw.split('\r\n').map((line) => line.length <= 998)).not.toContain(false)
    const [ofAll = ''] = raw.split('\r\n\r\n', 1)
    expect(ofAll.includes('Content-Transfer-Encoding: 8bit')).toBe(encoding === '8bit')
    const [, part = ''] = raw.split(`${head}\r\n\r\n`)
    expect(part.split('\r\n--')[0]).toBe(sent)
  })

  it.each([
    ['a line that is too long', `Subject: Hi\r\n\r\n${'x'.repeat(999)}\r\n`],
    ['a bare CR', 'Subject: Hi\r\n\r\na\rb\r\n'],
    ['a CR at its end', 'Subject: Hi\r\n\r\na\r'],
    ['a NUL', 'Subject: Hi\r\n\r\na\0b\r\n'],
  ])('that are messages with %s are sent as files, byte for byte', async (_what, content) => {
    const open = async () => Readable.from([Buffer.from(content)])
    const raw = await compose({ attachments: [attachment({ filename: 'a.eml', contentType: 'message/rfc822', open })] })
    expect(raw).toContain('Content-Type: application/octet-stream; name=a.eml\r\nContent-Transfer-Encoding: base64')
    const { attachments } = await PostalMime.parse(raw, { attachmentEncoding: 'utf8' })
    expect(attachments).toMatchObject([{ filename: 'a.eml', content }])
  })

  it('may have no name and no content', async () => {
    const { attachments } = await parse({ attachments: [attachment({ filename: null, content: '' })] })
    expect(attachments).toEqual([{ filename: null, mimeType: 'text/plain', disposition: 'attachment', content: '', encoding: 'utf8' }])
  })
})
