import { expect, it } from 'vitest'
import { wantedEncoding } from '../../src/lib/content-encodings.ts'

it.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['gzip;q=0, *', 'br'],
  ['gzip;q=0.5, identity', null],
  ['deflate, zstd', null],
  ['*;q=0', null],
  ['nonsense;;q=,', null],
  [`${'x, '.repeat(400)}gzip`, null],
])('%j is sent as %s', (accepted, expected) => {
  expect(wantedEncoding({ 'accept-encoding': accepted })).toBe(expected)
})
