import { expect, it } from 'vitest'
import { formatRelativeTime } from '../../../src/http/pages/document.ts'

const NOW = new Date('2001-02-03T04:05:06Z')
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

it.each([
  [10 * SECOND_MS, 'in less than a minute'],
  [0, 'less than a minute ago'],
  [-59 * SECOND_MS, 'less than a minute ago'],
  [MINUTE_MS, 'in 1 minute'],
  [-5 * MINUTE_MS - 59 * SECOND_MS, '5 minutes ago'],
  [59 * MINUTE_MS + 59 * SECOND_MS, 'in 59 minutes'],
  [HOUR_MS, 'in 1 hour'],
  [-47 * HOUR_MS, '47 hours ago'],
  [48 * HOUR_MS, 'in 2 days'],
])('says %d ms from now in words', (ms, words) => {
  expect(formatRelativeTime(new Date(NOW.getTime() + ms), NOW)).toBe(words)
})
