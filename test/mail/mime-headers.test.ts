import fc from 'fast-check'
import PostalMime, { decodeWords } from 'postal-mime'
import { describe, expect, it } from 'vitest'
import type { MimeMessage } from '../../src/mail/mime-build.ts'
import { attachment, compose, headersOf, parse } from './mime-messages.ts'

describe('headers', () => {
  it('holds what is handed in, and nothing else', async () => {
    const raw = await compose({
      from: { name: 'Shop', address: 'from@example.com' },
      to: [
        { name: 'One', address: 'one@example.com' },
        { name: null, address: 'two@example.com' },
      ],
      cc: [{ name: null, address: 'cc@example.com' }],
      replyTo: [{ name: null, address: 'reply@example.com' }],
      headers: [
        { name: 'X-Entity-Ref-ID', value: '42' },
        { name: 'List-Unsubscribe', value: '<https://example.com/u>' },
      ],
    })
    expect(headersOf(raw).sort()).toEqual([
      'Cc: cc@example.com',
      'Content-Transfer-Encoding: 7bit',
      'Content-Type: text/plain; charset=utf-8',
      'Date: Wed, 04 Mar 2026 05:06:07 +0000',
      'From: Shop <from@example.com>',
      'List-Unsubscribe: <https://example.com/u>',
      'MIME-Version: 1.0',
      'Message-ID: <0198c0de@example.com>',
      'Reply-To: reply@example.com',
      'Subject: Hello',
      'To: One <one@example.com>, two@example.com',
      'X-Entity-Ref-ID: 42',
    ])
  })

  it.each([
    'Zoë Müller',
    '山田太郎',
    'Δημήτρης',
    'مرحبا',
    '🎉 Party',
    'Smith, John',
    'He said "hi"',
    'a\\b',
    'x@y.example',
    'Name (comment)',
    'very '.repeat(60).trim(),
  ])('keeps the display name %s', async (name) => {
    const email = await parse({ from: { name, address: 'from@example.com' }, to: [{ name, address: 'to@example.com' }] })
    expect([email.from, email.to]).toEqual([{ name, address: 'from@example.com' }, [{ name, address: 'to@example.com' }]])
  })

  it('writes internationalised domains as A-labels', async () => {
    const raw = await compose({ from: { name: null, address: 'from@exämple.com' }, to: [{ name: null, address: 'to@例え.jp' }] })
    expect(headersOf(raw)).toEqual(expect.arrayContaining(['From: from@xn--exmple-cua.com', 'To: to@xn--r8jz45g.jp']))
  })

  it.each(['🎉 Sale 🎉', 'Grüße', 'a'.repeat(998), '🎉'.repeat(200), 'tab\there'])('keeps the subject %s', async (subject) => {
    expect((await parse({ subject })).subject?.replace(/\s/g, ' ')).toBe(subject.replace(/\s/g, ' '))
  })

  it('keeps a custom header in any script', async () => {
    const { headers } = await PostalMime.parse(await compose({ headers: [{ name: 'X-Campaign', value: 'Frühling 🌷' }] }))
    expect(headers.find(({ key }) => key === 'x-campaign')?.value).toMatch(/=\?UTF-8\?/)
  })
})

describe('the text of a header', () => {
  const text = fc.string({
    unit: fc.constantFrom(
      ...['a', 'word', ' ', ' '.repeat(80), '\t', '=?', '?=', '?', '=', '_', '=0aBcc:_x', '=?utf-8?q?=0aBcc:_x?=', '=?utf-8?b?Cg==?='],
      ...['é', '🎉', '山', '\u00a0', '"', '\\', ',', ';', ':', '<', '>', '(', ')', 'x'.repeat(70), 'x'.repeat(400), 'x'.repeat(997)],
    ),
    maxLength: 12,
  })
  const collapsed = (value: string): string => value.replaceAll(/[ \t]+/g, ' ').trim()
  const linesOfHead = (raw: string): string[] => raw.slice(0, raw.indexOf('\r\n\r\n')).split('\r\n')

  function expectWellFormed(raw: string): void {
    expect(raw.split('\r\n').filter((line) => line.length > 998)).toEqual([])
    expect(linesOfHead(raw).filter((line) => line.trim() === '')).toEqual([])
    expect(linesOfHead(raw).filter((line) => /^bcc:/i.test(line))).toEqual([])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is asked for.
    expect(raw).toMatch(/^[\x00-\x7f]*$/)
  }

  it('is read back as it was given, runs of spaces as one, in lines that every server takes', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (subject, value) => {
        const raw = await compose({ subject, headers: [{ name: 'X-Value', value }] })
        expectWellFormed(raw)
        const email = await PostalMime.parse(raw)
        expect(email.subject ?? '').toBe(collapsed(subject))
        expect(decodeWords(email.headers.find(({ key }) => key === 'x-value')?.value ?? '')).toBe(collapsed(value))
      }),
      { numRuns: 500 },
    )
  })

  it('holds in display names and names of files, too', async () => {
    const name = fc.string({ unit: fc.constantFrom('a', ' ', ' '.repeat(40), 'é', '"', '\\', ',', 'x'.repeat(70)), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(name, name, async (display, filename) => {
        const raw = await compose({
          from: { name: display, address: 'from@example.com' },
          to: [{ name: display, address: 'to@example.com' }],
          attachments: [attachment({ filename: `x${filename}x` })],
        })
        expectWellFormed(raw)
        expect((await PostalMime.parse(raw)).from).toEqual({ name: collapsed(display), address: 'from@example.com' })
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['runs of spaces', `a${' '.repeat(200)}b`],
    ['spaces at its end', `a${' '.repeat(200)}`],
    ['one word of 998 characters', 'x'.repeat(998)],
    ['an encoded line break', '=?utf-8?q?=0aBcc:_x?='],
  ])('may be a subject of %s', async (_what, subject) => {
    const raw = await compose({ subject })
    expectWellFormed(raw)
    expect((await PostalMime.parse(raw)).subject).toBe(collapsed(subject))
  })
})

describe('a structured header', () => {
  const LONG_URL = `<https://example.com/u?token=${'a'.repeat(700)}>`
  const IDS = Array.from({ length: 200 }, (_, index) => `<${index}.0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76@mail.example.com>`).join(' ')

  it.each([
    ['200 ids', 'References', IDS, IDS],
    [
      'ids with commas between them',
      'References',
      '<a@b.example>, <c@d.example>,<e@f.example>',
      '<a@b.example> <c@d.example> <e@f.example>',
    ],
    ['ids without brackets', 'In-Reply-To', 'a@b.example', '<a@b.example>'],
    ['whose message it was', 'In-Reply-To', 'Your message of "Mon <x@y.example>" (2026) <a@b.example>', '<a@b.example>'],
    ['whose message it was, beyond ASCII', 'In-Reply-To', 'Müllers Nachricht <a@b.example>', '<a@b.example>'],
    ['two long links', 'List-Unsubscribe', `${LONG_URL}, ${LONG_URL}`, `${LONG_URL}, ${LONG_URL}`],
    ['a link that looks encoded', 'List-Unsubscribe', '<https://example.com/?a=?b>', '<https://example.com/?a=?b>'],
    ['a link beyond ASCII', 'List-Unsubscribe', '<https://bücher.example/ü?a=東>', '<https://xn--bcher-kva.example/%C3%BC?a=%E6%9D%B1>'],
    ['a link without brackets', 'List-Help', 'https://example.com/ü', 'https://example.com/%C3%BC'],
    ['a comment beyond ASCII', 'List-Post', 'NO (nur für Leser)', 'NO (nur =?UTF-8?Q?f=C3=BCr?= Leser)'],
    ['a name of a list', 'List-Id', 'Grüße <news.example.com>', '=?UTF-8?Q?Gr=C3=BC=C3=9Fe?= <news.example.com>'],
    ['a name of a list in quotes', 'List-Id', '"Grüße" <news.bücher.example>', '=?UTF-8?Q?Gr=C3=BC=C3=9Fe?= <news.xn--bcher-kva.example>'],
    ['a quoted name with brackets', 'Errors-To', '"Grüße <a>" <a@b.example>', '=?UTF-8?Q?Gr=C3=BC=C3=9Fe_=3Ca=3E?= <a@b.example>'],
    ['a label that no name has', 'List-Help', `<https://${'ü'.repeat(60)}.example/>`, `<https://${'%C3%BC'.repeat(60)}.example/>`],
    ['tokens', 'Feedback-ID', 'a:b:c=?d:sender', 'a:b:c=?d:sender'],
  ])('with %s is read back as it is, in lines that every server takes', async (_what, name, value, expected) => {
    const raw = await compose({ headers: [{ name, value }] })
    expect(raw.split('\r\n').filter((line) => line.length > 998)).toEqual([])
    const lines = headersOf(raw).filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    expect(lines.map((line) => line.slice(name.length + 2))).toEqual([expected])
  })

  it.each(['References', 'In-Reply-To', 'List-Unsubscribe'])('that is empty is left out: %s', async (name) => {
    expect(headersOf(await compose({ headers: [{ name, value: ' ' }] })).filter((line) => line.startsWith(name))).toEqual([])
  })

  it('has neither bytes beyond ASCII, nor an encoded word around ids and links, nor a line too long, whatever it holds', async () => {
    const name = fc.constantFrom('References', 'In-Reply-To', 'List-Unsubscribe', 'List-Id', 'Errors-To', 'Feedback-ID', 'Auto-Submitted')
    const value = fc.string({
      unit: fc.constantFrom(
        ...['<', '>', '"', '\\', '(', ')', ',', ' ', '\t', ':', ';', '@', 'é', '東', '\ud800', '=?', 'https://é.example/', 'mailto:a@é'],
        ...['<a@b.example>', '<ü@b>', 'x'.repeat(90), '<https://a.example/ü>', 'y'.repeat(997)],
      ),
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(name, value, async (name, value) => {
        const raw = await compose({ headers: [{ name, value }] })
        expect(raw).toMatch(/^(?:[\t\x20-\x7e]{0,998}\r\n)*$/)
        expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/\r\n[\t ]*(?=\r\n|$)/)
        expect(raw).not.toMatch(/^(?:References|In-Reply-To): =\?UTF-8/m)
      }),
      { numRuns: 500 },
    )
  })
})

describe('header injection', () => {
  const attacks = [
    'x\r\nBcc: evil@example.com',
    'x\nBcc: evil@example.com',
    'x\rBcc: evil@example.com',
    'x\r\n\r\n<script>',
    'x\u0000\r\nBcc: evil@example.com',
  ]
  const places: [string, (attack: string) => Partial<MimeMessage>][] = [
    ['subject', (subject) => ({ subject })],
    ['display name', (name) => ({ from: { name, address: 'from@example.com' } })],
    ['address', (address) => ({ to: [{ name: null, address: `${address}@example.com` }] })],
    ['header value', (value) => ({ headers: [{ name: 'X-Custom', value }] })],
    ['list of links', (value) => ({ headers: [{ name: 'List-Unsubscribe', value: `<https://a.example/${value}>` }] })],
    ['list of ids', (value) => ({ headers: [{ name: 'References', value: `<${value}@a.example>` }] })],
    ['phrase', (value) => ({ headers: [{ name: 'List-Id', value: `"ü${value}" <a.example>` }] })],
    ['token', (value) => ({ headers: [{ name: 'Feedback-ID', value }] })],
    ['header name', (name) => ({ headers: [{ name, value: 'y' }] })],
    ['Message-ID', (messageId) => ({ messageId })],
    ['filename', (filename) => ({ attachments: [attachment({ filename })] })],
    ['content type', (contentType) => ({ attachments: [attachment({ contentType: `text/plain${contentType}` })] })],
    ['content id', (contentId) => ({ html: '<p>', attachments: [attachment({ contentId })] })],
  ]

  it.each(places)('is not possible by the %s', async (_, change) => {
    for (const attack of attacks) {
      const raw = await compose(change(attack))
      expect(raw.split(/\r\n|\r|\n/).filter((line) => /^Bcc:/i.test(line))).toEqual([])
      expect(headersOf(raw).filter((line) => /^Bcc/i.test(line))).toEqual([])
    }
  })

  it('is not possible by any text in any place', async () => {
    const nasty = fc.string({
      unit: fc.constantFrom('\r', '\n', '\0', ':', ' ', 'Bcc', 'x', '<', '>', '"', '\\', ',', ';', '@', '=?', '?=', 'ü'),
      maxLength: 20,
    })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), nasty, async ([, change], text) => {
        const { bcc } = await PostalMime.parse(await compose(change(text)))
        expect(bcc).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  })
})
