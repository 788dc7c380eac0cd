import { expect, it } from 'vitest'
import { COMMON_STYLE } from '../../../src/http/pages/document.ts'

const [LIGHT = '', DARK = ''] = [...COMMON_STYLE.matchAll(/:root \{([^}]*)\}/g)].map(([, rules]) => rules)
const color = (rules: string, name: string): string => new RegExp(`--${name}: (#[0-9a-f]+)`).exec(rules)?.[1] ?? ''

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const digits = hex.slice(1).length === 3 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1)
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

it.each([
  ['by day', LIGHT],
  ['in the dark', DARK],
])('writes everything with a contrast of 4.5 at least %s', (_when, rules) => {
  const pairs = ['ink', 'soft', 'link', 'good', 'wait', 'bad'].flatMap((ink) =>
    ['paper', 'sheet', 'hover', 'fresh'].map((ground) => [ink, ground]),
  )
  const weak = [...pairs, ['on-link', 'link']].filter(
    ([ink = '', ground = '']) => !(contrast(color(rules, ink), color(rules, ground)) >= 4.5),
  )
  expect(weak).toEqual([])
})
