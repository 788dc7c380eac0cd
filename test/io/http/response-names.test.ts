import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentTypeOf, filenameOf } from '../../../src/io/http/remote-files.ts'

const URL_WITHOUT_NAME = 'https://example.com/'
const named = (disposition: string) => filenameOf({ 'content-disposition': disposition }, URL_WITHOUT_NAME)

describe('filenameOf', () => {
  it.each([
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment; filename=report.pdf', 'report.pdf'],
    ['attachment; filename="a \\"b\\" c.pdf"', 'a "b" c.pdf'],
    ["attachment; filename=old.pdf; filename*=UTF-8''%E2%82%AC%20new.pdf", '€ new.pdf'],
    ["attachment; filename*=utf-8'en'n%C3%A3o.txt", 'não.txt'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\temp\\\\x.txt"', 'x.txt'],
    ["attachment; filename*=UTF-8''a%0D%0AX-Evil%3A%201.txt", 'aX-Evil: 1.txt'],
    ["attachment; filename*=UTF-8''invoice%E2%80%AEfdp.exe", 'invoicefdp.exe'],
    ["attachment; filename*=UTF-8''broken%ZZ.txt", 'broken%ZZ.txt'],
    ['attachment; filename=".."', null],
    ['inline', null],
  ])('reads %s', (disposition, expected) => {
    expect(named(disposition)).toBe(expected)
  })

  it.each([
    ['https://example.com/files/report%20one.pdf?version=2#page', 'report one.pdf'],
    ['https://example.com/files/', null],
    ['https://example.com/a%2F..%2Fb.txt', 'b.txt'],
  ])('takes the last segment of %s when the response names nothing', (url, expected) => {
    expect(filenameOf({}, url)).toBe(expected)
  })

  it('never gives a folder, a control character or more than 255 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const given = named(`attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`)
        expect(given ?? 'none').toMatch(/^[^/\\\p{Cc}]{1,255}$/u)
      }),
    )
  })
})

describe('contentTypeOf', () => {
  it.each([
    ['application/pdf', 'application/pdf'],
    ['Text/HTML; charset=utf-8', 'text/html'],
    ['application/vnd.ms-excel.sheet+xml', 'application/vnd.ms-excel.sheet+xml'],
    ['nonsense', null],
    ['text/ html', null],
    ['', null],
  ])('reads %j', (header, expected) => {
    expect(contentTypeOf({ 'content-type': header })).toBe(expected)
  })

  it('gives null when there is no such header', () => {
    expect(contentTypeOf({})).toBeNull()
  })
})
