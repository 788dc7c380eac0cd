import { expect, it } from 'vitest'
import { readRange } from '../../src/http/headers.ts'

it.each([
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=2-', 10, { start: 2, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=5-99', 10, { start: 5, end: 9 }],
  [' bytes=0-4 ', 10, { start: 0, end: 4 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=4-2', 10, null],
  ['bytes=-', 10, null],
  ['bytes=0-1,3-4', 10, null],
  ['bytes=a-b', 10, null],
  ['items=0-1', 10, null],
  [undefined, 10, null],
])('reads %s of a file of %d bytes', (header, size, range) => {
  expect(readRange(header, size)).toEqual(range)
})
