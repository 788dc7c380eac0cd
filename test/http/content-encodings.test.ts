import { expect, it } from 'vitest'
import { wantedEncoding } from '../../src/http/content-encodings.ts'

it.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['gzip;q=0, *', 'br'],
  ['gzip;q=0.5, identity', null],
  ['br;q=0.5, gzip;q=1', 'gzip'],
  ['gzip;q=0.5, br;q=0.5', 'br'],
  ['br;q=0.1, gzip;q=0.2, identity;q=0', 'gzip'],
  ['br;q=0.5, identity;q=0.7, gzip;q=0.6', null],
  ['identity;q=0', null],
  ['identity;q=0, *', 'br'],
  ['deflate, zstd', null],
  ['*;q=0', null],
  ['nonsense;;q=,', null],
  [`${'x, '.repeat(400)}gzip`, null],
])('%j is sent as %s', (accepted, expected) => {
  expect(wantedEncoding({ 'accept-encoding': accepted })).toBe(expected)
})
