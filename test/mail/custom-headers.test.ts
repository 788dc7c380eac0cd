import { describe, expect, it } from 'vitest'
import { checkCustomHeaders } from '../../src/mail/headers.ts'

const sentenceFor = (headers: Record<string, string>): string | null => checkCustomHeaders(headers)?.problem ?? null

describe('checkCustomHeaders', () => {
  it('takes the headers that real mail adds', () => {
    const headers = {
      'X-Entity-Ref-ID': '1',
      'List-Unsubscribe': '<https://example.com/u>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'In-Reply-To': '<a@b.c>',
      References: '<a@b.c>\t<d@e.f>',
      'X-Name': 'Grüße',
      'X-Empty': '',
    }
    expect(checkCustomHeaders(headers)).toBeNull()
    expect(checkCustomHeaders({})).toBeNull()
  })

  it.each([
    'From',
    'SENDER',
    'to',
    'Cc',
    'bCC',
    'Reply-To',
    'Subject',
    'Date',
    'Message-ID',
    'Received',
    'DKIM-Signature',
    'Resent-From',
    'content-type',
    'Content-Transfer-Encoding',
    'MIME-Version',
  ])('refuses %s, which is not the client’s to set', (name) =>
    expect(sentenceFor({ [name]: 'x' })).toBe(`may not set \`${name}\`: the service writes that header itself`),
  )

  it.each([
    ...['Authentication-Results', 'authentication-results-original', 'Received-SPF', 'ARC-Seal', 'Delivered-To', 'Return-Path'],
    ...['X-Spam-Status', 'X-Spam', 'X-Gm-Message-State', 'X-Google-DKIM-Signature', 'X-Received', 'X-MS-Exchange-Organization-SCL'],
    ...['X-Forefront-Antispam-Report', 'X-Microsoft-Antispam', 'X-MICROSOFT-ANTISPAM-Mailbox-Delivery', 'X-MS-TNEF-Correlator'],
    'X-Originating-IP',
  ])('refuses %s, in which a server says what it found', (name) =>
    expect(sentenceFor({ [name]: 'x' })).toBe(`may not set \`${name}\`: only servers that receive mail write that header`),
  )

  it.each(['', 'X A', 'X:A', 'X-Ä', 'From ', 'X\r\nBcc', 'X\0', '\u007f'])('refuses the name %j', (name) =>
    expect(sentenceFor({ [name]: 'x' })).toContain('has the header name'),
  )

  it.each(['a\r\nBcc: x@y.z', 'a\nb', 'a\rb', 'a\0b', 'a\u007fb', 'a\u0085b'])('refuses the value %j', (value) =>
    expect(sentenceFor({ 'X-A': value })).toBe('has a line break or another control character in the value of `X-A`'),
  )

  it.each([
    ['a value that is folded already', '<a@b.c>\r\n <d@e.f>'],
    ['a fold of a line feed and a tab', '<a@b.c>\n\t<d@e.f>'],
    ['200 ids', Array.from({ length: 200 }, (_, index) => `<${index}.0193a5c2-7d4e-7b1a@mail.example.com>`).join(' ')],
    ['commas between ids', '<a@b.c>, <d@e.f>'],
  ])('takes References with %s', (_what, value) => expect(checkCustomHeaders({ References: value })).toBeNull())

  it('takes a header of 16 KB with its name, in octets, and refuses a longer one', () => {
    const long = `${'v'.repeat(500)} `.repeat(40)
    expect(checkCustomHeaders({ 'X-A': long.slice(0, 16_384 - 'X-A: '.length) })).toBeNull()
    expect(sentenceFor({ 'X-A': long.slice(0, 16_385 - 'X-A: '.length) })).toBe(
      'has a value of `X-A` that is too long: a header may have at most 16 KB',
    )
    expect(sentenceFor({ 'X-A': 'ü'.repeat(8_192) })).toContain('may have at most 16 KB')
  })

  it('takes 64 KB of headers and refuses more', () => {
    const headers = (rest: number) => ({
      ...Object.fromEntries([1, 2, 3, 4].map((index) => [`X-${index}`, 'v'.repeat(16_000)])),
      'X-R': 'v'.repeat(rest),
    })
    const rest = 65_536 - 4 * ('X-1: '.length + 16_000) - 'X-R: '.length
    expect(checkCustomHeaders(headers(rest))).toBeNull()
    expect(sentenceFor(headers(rest + 1))).toBe('may have at most 64 KB in all, not 65537 bytes')
  })

  it.each([
    ['References', '<ü@b.c>', 'has a message id with characters that are not ASCII in the value of `References`'],
    ['in-reply-to', '<a@b.c> <ü@b.c>', 'has a message id with characters that are not ASCII in the value of `in-reply-to`'],
    ['List-Id', 'News <ü@list.example>', 'has an address or id with characters that are not ASCII'],
    ['List-Unsubscribe-Post', 'ü', 'has characters that are not ASCII, which this header does not know, in the value of'],
    ['References', `<${'a'.repeat(996)}>`, 'has more than 997 characters without a space in the value of `References`'],
    ['List-Unsubscribe', `<https://a.example/${'ü'.repeat(170)}>`, 'has more than 997 characters without a space'],
  ])('refuses what no structured header can hold: %s', (name, value, sentence) =>
    expect(sentenceFor({ [name]: value })).toContain(sentence),
  )

  it('takes a name of 76 characters and refuses a longer one', () => {
    expect(checkCustomHeaders({ ['X'.repeat(76)]: 'v' })).toBeNull()
    expect(sentenceFor({ ['X'.repeat(77)]: 'v' })).toContain('at most 76 characters')
  })

  it.each(['=?utf-8?q?=0aBcc:_x?=', 'before =?UTF-8?B?Cg==?= after', '=?utf-8*en?Q?a b'])('refuses the encoded word in %j', (value) =>
    expect(sentenceFor({ 'X-A': value })).toBe(
      'has an encoded word (`=?...?=`) in the value of `X-A`: write the value unencoded, in any script',
    ),
  )

  it('takes what only looks a little like an encoded word', () => expect(sentenceFor({ 'X-A': 'a=?b ?= ?q?' })).toBeNull())

  it('takes 50 headers and refuses 51', () => {
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'v']))
    expect(checkCustomHeaders(headers(50))).toBeNull()
    expect(sentenceFor(headers(51))).toBe('may hold at most 50 headers, not 51')
  })

  it.each([
    ['X-A', 'x-a'],
    ['x-a', 'X-A'],
  ])('refuses %s beside %s, which are one header', (first, second) =>
    expect(sentenceFor({ [first]: '1', [second]: '2' })).toBe(`names \`${second}\` twice: upper and lower case are the same header`),
  )

  it('keeps its sentence short however long the name is', () =>
    expect(sentenceFor({ ['é'.repeat(1_000_000)]: 'x' })?.length).toBeLessThan(300))
})
