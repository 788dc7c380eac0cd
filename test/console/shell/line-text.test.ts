import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineText } from '../../../src/console/shell/line-text.ts'

it('leaves what is short, and cuts the rest with a mark', () => {
  expect(lineText('x'.repeat(160))).toBe('x'.repeat(160))
  expect(lineText('x'.repeat(161))).toBe(`${'x'.repeat(159)}…`)
  expect(lineText('short', 4)).toBe('sho…')
})

it('is never longer than asked for, and has whole characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite', maxLength: 40 }), fc.integer({ min: 2, max: 20 }), (text, lengthMax) => {
      const shown = lineText(text, lengthMax)
      expect(shown.length).toBeLessThanOrEqual(lengthMax)
      expect(shown.isWellFormed()).toBe(true)
      expect(text.startsWith(shown.replace(/…$/, ''))).toBe(true)
    }),
  )
})
