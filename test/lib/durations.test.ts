import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseDuration } from '../../src/lib/clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

it.each([
  ['10m', 10 * MINUTE],
  ['2 hours', 2 * HOUR],
  ['1 day', DAY],
  ['1h 30m', 90 * MINUTE],
  ['1h30m', 90 * MINUTE],
  ['1.5h', 90 * MINUTE],
  ['1 hour and 30 minutes', 90 * MINUTE],
  ['1 hour, 30 mins', 90 * MINUTE],
  ['1w 2d 3h 4m 5s', 9 * DAY + 3 * HOUR + 4 * MINUTE + 5000],
  [' 48 HRS ', 48 * HOUR],
  ['1 sec', 1000],
])('reads %j', (text, expected) => expect(parseDuration(text)).toBe(expected))

it.each([
  '',
  '10',
  'm',
  '-10m',
  '+10m',
  '0m',
  '0.5s',
  '500ms',
  '5 us',
  '1 month',
  '1mo',
  '1 year',
  '10 minutes ago',
  'about 10m',
  '10m x',
  '1h 30',
  '30m 1h',
  '1h 1h',
  '1 2 h',
  '1,000h',
  '1_000h',
  '1e3h',
  '1h,',
  '1h and',
  '1hand 2m',
  '9999999w',
  `1h${' '.repeat(1_000_000)}1m`,
])('refuses %.40j', (text) => expect(parseDuration(text)).toBeNull())

it('answers for any text with null or whole milliseconds of a second or more', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d., hdmsw]{0,40}$/)), (text) => {
      const ms = parseDuration(text)
      expect(ms === null || (Number.isSafeInteger(ms) && ms >= 1000)).toBe(true)
    }),
  )
})
