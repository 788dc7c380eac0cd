import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quotedValue } from '../../src/lib/problem.ts'

describe('the value in a sentence', () => {
  it.each<[value: unknown, sentence: string]>([
    ['nope', ' It is "nope".'],
    ['', ' It is "".'],
    [5, ' It is 5.'],
    [false, ' It is false.'],
    ['a "b" \\', ' It is "a \\"b\\" \\\\".'],
    ['a\r\nb\0\u001b[31m\u007f', ' It is "a\\r\\nb\\u0000\\u001b[31m\\u007f".'],
    ['a\u202ebc\u2028\ufeff\u{e0001}', ' It is "a\\u202ebc\\u2028\\ufeff\\ue0001".'],
    ['\ud800', ' It is "\\ud800".'],
    ['é😀', ' It is "é😀".'],
    ['x'.repeat(80), ` It is "${'x'.repeat(80)}".`],
    ['x'.repeat(81), ` It is "${'x'.repeat(80)}"..., which is longer.`],
    [`${'x'.repeat(79)}😀`, ` It is "${'x'.repeat(79)}"..., which is longer.`],
    [null, ''],
    [undefined, ''],
    [['a'], ''],
    [{ a: 1 }, ''],
  ])('%j is quoted, cut and escaped', (value, sentence) => expect(quotedValue(value)).toBe(sentence))

  it('is short and harmless, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (value) => {
        expect(quotedValue(value)).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{10,520}$/u)
      }),
    )
  })
})
