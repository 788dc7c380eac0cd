import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyHash } from '../../../src/mail/dkim/body-hash.ts'

const hashOf = (...chunks: (string | Buffer)[]): string => {
  const hash = createBodyHash()
  for (const chunk of chunks) hash.update(Buffer.from(chunk))
  return hash.digest()
}
const sha256 = (text: string) => createHash('sha256').update(text, 'latin1').digest('base64')

describe('the hash of a body', () => {
  it.each([
    ['nothing', '', ''],
    ['empty lines alone', '\r\n\r\n', ''],
    ['white space alone', ' \t\r\n \r\n\t', ''],
    ['the example of RFC 6376, section 3.4.5', ' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'],
    ['a last line without its end', 'a\r\nb', 'a\r\nb\r\n'],
    ['empty lines between others', '\r\n\r\na\r\n\r\n\r\nb\r\n\r\n', '\r\n\r\na\r\n\r\n\r\nb\r\n'],
    ['lines that end with LF alone', 'a\n\nb \n\n', 'a\r\n\r\nb\r\n'],
    ['CR within a line and at the end', 'a\rb \r', 'a\rb \r\r\n'],
    ['bytes that look like white space elsewhere', 'a\xa0\xa0 \x0b\x0c\x85b', 'a\xa0\xa0 \x0b\x0c\x85b\r\n'],
  ])('is that of the relaxed form of %s', (_what, body, relaxed) => {
    expect(hashOf(Buffer.from(body, 'latin1'))).toBe(sha256(relaxed))
  })

  it('is that of the relaxed form of any body, in whatever pieces it comes', () => {
    const body = fc.string({ unit: fc.constantFrom('a', 'word', ' ', '\t', '\r', '\n', '\r\n', '\r\n\r\n', '.', '\xa0', 'x'.repeat(600)) })
    fc.assert(
      fc.property(body, fc.array(fc.nat({ max: 2_000 }), { maxLength: 8 }), (text, cuts) => {
        const bytes = Buffer.from(text, 'latin1')
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b)
        const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
        expect(hashOf(...pieces)).toBe(sha256(relaxedForm(text)))
      }),
      { numRuns: 2_000 },
    )
  })
})

/** As RFC 6376, section 3.4.4, words it. */
function relaxedForm(body: string): string {
  const lines = body
    .replace(/\r?\n/g, '\n')
    .split('\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  while (lines.at(-1) === '') lines.pop()
  return lines.map((line) => `${line}\r\n`).join('')
}
