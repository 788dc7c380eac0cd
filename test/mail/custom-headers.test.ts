import { describe, expect, it } from 'vitest'
import { checkCustomHeaders } from '../../src/mail/custom-headers.ts'

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
    'Return-Path',
    'Received',
    'DKIM-Signature',
    'ARC-Seal',
    'Resent-From',
    'content-type',
    'Content-Transfer-Encoding',
    'MIME-Version',
  ])('refuses %s, which is not the client’s to set', (name) =>
    expect(sentenceFor({ [name]: 'x' })).toBe(`may not set \`${name}\`: the service writes that header itself`),
  )

  it.each(['', 'X A', 'X:A', 'X-Ä', 'From ', 'X\r\nBcc', 'X\0', '\u007f'])('refuses the name %j', (name) =>
    expect(sentenceFor({ [name]: 'x' })).toContain('has the name'),
  )

  it.each(['a\r\nBcc: x@y.z', 'a\nb', 'a\rb', 'a\0b', 'a\u007fb', 'a\u0085b'])('refuses the value %j', (value) =>
    expect(sentenceFor({ 'X-A': value })).toBe('has a line break or another control character in the value of `X-A`'),
  )

  it('takes a line of 998 characters, name included, and refuses a longer one', () => {
    expect(checkCustomHeaders({ 'X-A': 'v'.repeat(993) })).toBeNull()
    expect(sentenceFor({ 'X-A': 'v'.repeat(994) })).toBe('has a value of `X-A` that makes a line of more than 998 characters')
  })

  it.each(['=?utf-8?q?=0aBcc:_x?=', 'before =?UTF-8?B?Cg==?= after', '=?utf-8*en?Q?a b'])('refuses the encoded word in %j', (value) =>
    expect(sentenceFor({ 'X-A': value })).toBe(
      'has an encoded word (`=?...?=`) in the value of `X-A`: write it as it is to be read, in any script',
    ),
  )

  it('takes what only looks a little like an encoded word', () => expect(sentenceFor({ 'X-A': 'a=?b ?= ?q?' })).toBeNull())

  it('takes 50 headers and refuses 51', () => {
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'v']))
    expect(checkCustomHeaders(headers(50))).toBeNull()
    expect(sentenceFor(headers(51))).toBe('may hold at most 50 headers, not 51')
  })

  it('refuses a header that is given twice in different case', () =>
    expect(sentenceFor({ 'X-A': '1', 'x-a': '2' })).toBe('names `x-a` twice: upper and lower case are the same header'))

  it('keeps its sentence short however long the name is', () =>
    expect(sentenceFor({ ['é'.repeat(1_000_000)]: 'x' })?.length).toBeLessThan(300))
})
