import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { badByteIn, createEncodingGuess, createTextDecoder, TEXT_ENCODINGS, type TextEncoding } from '../../../src/lib/csv/text-encoding.ts'

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
    ['UTF-8 with a bad byte', Buffer.from([...Buffer.from('Zoë, M'), 0xfc, ...Buffer.from('ller')]), 'utf-8'],
    ['UTF-8 with a mark and bad bytes alone', Buffer.from([0xef, 0xbb, 0xbf, 0xfc, 0x20, 0xfc]), 'utf-8'],
    ['UTF-16', Buffer.from('\ufeffZoë', 'utf16le'), 'utf-16le'],
    ['UTF-16 of the other order', Buffer.from('\ufeffZoë', 'utf16le').swap16(), 'utf-16be'],
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

  it('is refused for a NUL, at once', () => {
    expect(() => guess(Buffer.from('a\0b'))).toThrow('The file is not a text file: it holds NUL bytes. Save it as CSV in UTF-8.')
  })
})

const encoded = (text: string, encoding: TextEncoding): Buffer =>
  encoding === 'utf-8' ? Buffer.from(text) : encoding === 'utf-16le' ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'utf16le').swap16()

function decode(bytes: Buffer, encoding: TextEncoding, pieceLength: number): string {
  const decoder = createTextDecoder(encoding)
  let text = ''
  for (let at = 0; at < bytes.length; at += pieceLength) text += decoder.push(bytes.subarray(at, at + pieceLength))
  return text + decoder.end()
}

describe('the text of a file', () => {
  it.each(TEXT_ENCODINGS.filter((encoding) => encoding !== 'windows-1252'))('in %s is what was written, however it is cut', (encoding) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 5 }), (text, pieceLength) => {
        const clean = text.replaceAll('\0', '')
        expect(decode(encoded(`\ufeff${clean}`, encoding), encoding, pieceLength)).toBe(clean)
      }),
    )
  })

  it.each<[string, TextEncoding, Buffer, number]>([
    ['a byte of windows-1252', 'utf-8', Buffer.from([...Buffer.from('\ufeffZoë,M'), 0xfc, ...Buffer.from('ller')]), 9],
    ['a character that breaks off at the end', 'utf-8', Buffer.from('Zoë🚀').subarray(0, 6), 4],
    ['bad bytes next to each other', 'utf-8', Buffer.from([0x61, 0xff, 0xff, 0xff]), 1],
    ['half a pair', 'utf-16le', encoded('\ufeffab\ud83dc', 'utf-16le'), 6],
    ['half a pair at the end', 'utf-16be', encoded('\ufeffab\ud83d', 'utf-16be'), 6],
    ['a NUL', 'utf-16be', encoded('\ufeffab\0', 'utf-16be'), 6],
    ['half a character', 'utf-16le', encoded('\ufeffabc', 'utf-16le').subarray(0, 7), 6],
  ])('tells where %s is', (_what, encoding, bytes, offset) => {
    for (const pieceLength of [1, 2, 3, 100]) expect(badByteIn(decode(bytes, encoding, pieceLength))).toBe(offset)
  })

  it('tells the first of several, and counts over all pieces', () => {
    const decoder = createTextDecoder('utf-8')
    expect(badByteIn(decoder.push(Buffer.from([0x61, 0xff, 0x61, 0xff])))).toBe(1)
    expect(badByteIn(decoder.push(Buffer.from([0xfe])))).toBe(4)
  })
})
