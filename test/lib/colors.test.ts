import fc from 'fast-check'
import { expect, it } from 'vitest'
import { textColorOn } from '../../src/lib/colors.ts'

/** A second implementation of what WCAG 2.2 defines. */
function luminance(color: string): number {
  const parts = [1, 3, 5].map((from) => Number.parseInt(color.slice(from, from + 2), 16) / 255)
  const [red = 0, green = 0, blue = 0] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return red * 0.2126 + green * 0.7152 + blue * 0.0722
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

it.each([
  ['#ffffff', '#000000'],
  ['#000000', '#ffffff'],
  ['#ffff00', '#000000'],
  ['#0000ff', '#ffffff'],
  ['#1d4fc4', '#ffffff'],
  // Where both are about as good.
  ['#757575', '#ffffff'],
  ['#767676', '#000000'],
])('writes on %s in %s', (ground, text) => {
  expect(textColorOn(ground)).toBe(text)
})

it('can be read on every color', () => {
  const part = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(part, part, part, (...parts) => {
      const ground = `#${parts.map((each) => each.toString(16).padStart(2, '0')).join('')}`
      expect(contrast(ground, textColorOn(ground))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

it.each(['', 'red', '#fff', '#FFFFFF', '#1d4fc4;}'])('takes nothing else for a color: %j', (text) => {
  expect(() => textColorOn(text)).toThrow('A color must have the form #rrggbb')
})
