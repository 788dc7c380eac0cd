import { expect, it } from 'vitest'
import { nextRandomBytes } from '../../src/lib/ids.ts'

it('gives bytes that were not given before, also when they are fetched again', () => {
  const given = Array.from({ length: 2_000 }, () => nextRandomBytes().toString('hex'))
  expect(new Set(given).size).toBe(2_000)
  expect(new Set(given.map(({ length }) => length))).toEqual(new Set([32]))
})
