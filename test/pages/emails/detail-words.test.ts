import { expect, it } from 'vitest'
import { readerActWords } from '../../../src/pages/emails/detail-words.ts'

const click = { link: 'https://shop.example.com/', timestamp: '2026-01-01T00:00:00.000Z', userAgent: 'Firefox', ipAddress: '192.0.2.7' }

it.each([
  ['who opened an email', { is_machine: false }, 'probably by a person'],
  [
    'which link was followed, from where and with what',
    { click, is_machine: false },
    'https://shop.example.com/ · 192.0.2.7 · Firefox · probably by a person',
  ],
  [
    'that it was a program, and no address if none is stored',
    { click: { ...click, ipAddress: undefined }, is_machine: true },
    'https://shop.example.com/ · Firefox · probably by a program',
  ],
])('the timeline says %s', (_what, detail, words) => {
  expect(readerActWords(detail)).toBe(words)
})
