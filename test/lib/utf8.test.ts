import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textUpTo, utf8, utf8Counts } from '../../src/lib/text.ts'

describe('the beginning of a text in UTF-8', () => {
  it.each([
    ['Grüße', 100, 'Grüße'],
    ['Grüße', 4, 'Grü'],
    ['Grüße', 3, 'Gr\ufffd'],
    ['\ufeffa', 100, '\ufeffa'],
    ['', 100, ''],
    [null, 100, null],
  ])('%j of %i bytes is %j', (text, bytesMax, beginning) => {
    expect(textUpTo(utf8(text), bytesMax)).toBe(beginning)
  })

  it('is all of a string', () => {
    expect(textUpTo('Grüße', 1)).toBe('Grüße')
  })
})

describe('the count of characters and of invalid places', () => {
  it('is that of the decoder of the platform, whatever the bytes', () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const byte = fc.constantFrom(0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xe0, 0xe1, 0xed, 0xf0, 0xf1, 0xf4, 0xf5)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3 }), fc.array(byte, { maxLength: 12 }), (any, chosen) => {
        const bytes = Uint8Array.from([...any, ...chosen])
        const characters = [...decoder.decode(bytes)]
        const valid = characters.filter((one) => one > '\x7f' && one !== '\ufffd').length
        const invalid = characters.filter((one) => one === '\ufffd').length
        fc.pre(!Buffer.from(bytes).includes(Buffer.from('\ufffd')))
        expect(utf8Counts(bytes)).toEqual({ valid, invalid })
      }),
      { numRuns: 2_000 },
    )
  })
})
