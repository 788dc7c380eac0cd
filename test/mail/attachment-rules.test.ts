import { describe, expect, it } from 'vitest'
import { checkContentId, checkContentType, checkFilename, contentTypeOf } from '../../src/mail/attachments.ts'

describe('checkFilename', () => {
  it.each(['invoice.pdf', 'README', 'Rechnung März.pdf', '請求書.pdf', 'a.exe.pdf', '.env', 'x'.repeat(255)])('takes %.40j', (filename) =>
    expect(checkFilename(filename)).toBeNull(),
  )

  it.each(['virus.exe', 'VIRUS.EXE', 'a.pdf.js', 'a.ps1xml', 'a.exe.', 'a.exe . ', '.bat', 'a.xnk'])(
    'refuses the blocked type of %j',
    (filename) => expect(checkFilename(filename)?.problem).toContain('mail servers refuse that type'),
  )

  it.each([
    ['', 'may not be empty'],
    ['  ', 'may not be empty'],
    ['x'.repeat(256), 'longer than 255'],
    ['../etc/passwd', 'without a folder'],
    ['a\\b.txt', 'without a folder'],
    ['..', 'without a folder'],
    ['a\r\nX: b.txt', 'control characters'],
    ['a\0.txt', 'control characters'],
    ['invoice\u202efdp.txt', 'control characters'],
    ['a\ud800.txt', 'control characters'],
    ['=?utf-8?q?virus=2Eexe?=', 'encoded word'],
  ])('refuses %.30j', (filename, sentence) => expect(checkFilename(filename)?.problem).toContain(sentence))
})

describe('checkContentType', () => {
  it.each([
    'application/pdf',
    'text/plain; charset=utf-8',
    'text/calendar; method="REQUEST"; charset=utf-8',
    'image/svg+xml',
    'message/rfc822',
  ])('takes %s', (contentType) => expect(checkContentType(contentType)).toBeNull())

  it.each([
    '',
    'pdf',
    'a/',
    '/b',
    'a/b/c',
    'a b/c',
    'text/plain\r\nBcc: x',
    'text/plain; x',
    'text/plain; a="b',
    'text/plain; a="b\nc"',
    'text/ä',
  ])('refuses %j', (contentType) => expect(checkContentType(contentType)?.problem).toContain('must be a media type'))

  it('refuses more than 255 characters', () => expect(checkContentType(`a/${'b'.repeat(254)}`)).not.toBeNull())

  it('refuses a multipart type', () => expect(checkContentType('Multipart/mixed; boundary=x')?.problem).toContain('multipart'))
})

describe('checkContentId', () => {
  it.each(['logo', 'logo@example.com', 'x'.repeat(127)])('takes %.30j', (contentId) => expect(checkContentId(contentId)).toBeNull())

  it.each(['', '<logo>', 'a b', 'a\r\nb', 'lögo', 'x'.repeat(128)])('refuses %.30j', (contentId) =>
    expect(checkContentId(contentId)).not.toBeNull(),
  )
})

it.each([
  ['a.pdf', null, 'application/pdf'],
  ['a.PNG', null, 'image/png'],
  ['a.pdf', 'text/plain', 'text/plain'],
  ['README', null, 'application/octet-stream'],
  ['pdf', null, 'application/octet-stream'],
  ['a.unheardof', null, 'application/octet-stream'],
  [null, null, 'application/octet-stream'],
])('gives %s with %s the type %s', (filename, given, expected) => expect(contentTypeOf(filename, given)).toBe(expected))
