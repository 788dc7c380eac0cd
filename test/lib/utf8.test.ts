import { describe, expect, it } from 'vitest'
import { textUpTo, utf8 } from '../../src/lib/utf8.ts'

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
