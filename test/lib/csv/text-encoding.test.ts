import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEncodingGuess } from '../../../src/lib/csv/text-encoding.ts'

function guess(bytes: Buffer, pieceLength = bytes.length || 1): string {
  const guessing = createEncodingGuess('The file')
  for (let at = 0; at < bytes.length; at += pieceLength) guessing.see(bytes.subarray(at, at + pieceLength))
  return guessing.encoding()
}

describe('the encoding of a file', () => {
  it.each<[string, Buffer, string]>([
    ['nothing', Buffer.alloc(0), 'utf-8'],
    ['ASCII', Buffer.from('email\n'), 'utf-8'],
    ['UTF-8', Buffer.from('Zoë 🚀'), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from('\ufeffZoë'), 'utf-8'],
    ['windows-1252', Buffer.from([0x5a, 0x6f, 0xeb, 0x20, 0x80]), 'windows-1252'],
    ['UTF-8 that breaks off', Buffer.from('Zoë').subarray(0, 3), 'windows-1252'],
  ])('is recognized: %s', (_what, bytes, encoding) => {
    for (const pieceLength of [1, 2, 3, 100]) expect(guess(bytes, pieceLength)).toBe(encoding)
  })

  it('of any text in UTF-8 is UTF-8, however it is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 5 }), (text, pieceLength) => {
        const clean = text.replaceAll('\0', '').replace(/^[\ufffe\ufeff]/, '')
        expect(guess(Buffer.from(clean), pieceLength)).toBe('utf-8')
      }),
    )
  })

  it.each([
    ['a NUL', Buffer.from('a\0b'), 'The file is not a text file: it holds NUL bytes. Save it as CSV in UTF-8.'],
    ['UTF-16', Buffer.from([0xff, 0xfe, 0x61, 0x00]), 'The file is encoded in UTF-16: save it as CSV in UTF-8.'],
    ['UTF-16 of the other order', Buffer.from([0xfe, 0xff, 0x00, 0x61]), 'The file is encoded in UTF-16: save it as CSV in UTF-8.'],
  ])('is refused for %s, at once', (_what, bytes, sentence) => {
    expect(() => guess(bytes)).toThrow(sentence)
  })
})
