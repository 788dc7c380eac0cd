// How much work a file can make: characters looked at are counted, because time depends on the machine.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCsvReader } from '../../../src/lib/csv/csv-rows.ts'

const LENGTH = 20_000
/** The worst files that a search found come to 40: a row that does not end is followed five times. What grows with the file comes to hundreds. */
const LOOKS_PER_CHARACTER_MAX = 80

const { charAt, indexOf, includes, slice, split, replaceAll, match, trim, endsWith } = String.prototype
let looks = 0

beforeEach(() => {
  looks = 0
  Object.assign(String.prototype, {
    charAt(this: string, at: number) {
      looks += 1
      return charAt.call(this, at)
    },
    indexOf(this: string, wanted: string, from = 0) {
      const found = indexOf.call(this, wanted, from)
      looks += Math.max(1, (found === -1 ? this.length : found + 1) - from)
      return found
    },
    slice(this: string, from?: number, to?: number) {
      const cut = slice.call(this, from, to)
      looks += cut.length
      return cut
    },
    ...whole({ includes, split, replaceAll, match, trim, endsWith }),
  })
})

afterEach(() => {
  Object.assign(String.prototype, { charAt, indexOf, includes, slice, split, replaceAll, match, trim, endsWith })
})

/** Each call may look at the whole string. */
function whole(methods: Record<string, (...rest: never[]) => unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      function counted(this: string, ...rest: never[]) {
        looks += this.length
        return method.apply(this, rest)
      },
    ]),
  )
}

/** Characters looked at for each one of the file. */
function work(text: string, { pieceLength = text.length, lengthMax = 1024 * 1024 } = {}): number {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += pieceLength) pieces.push(text.substring(at, at + pieceLength))
  const reader = createCsvReader(',', lengthMax)
  looks = 0
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return looks / text.length
}

describe('the work for a file is in proportion to its length', () => {
  it.each([
    ['lines that open a quote and close that of the line before', 'b","x\n'],
    ['such lines that end with CR', 'b","x\r'],
    ['a quoted row from every line on that has text behind it in the end', '",\n","'],
    ['text behind a quote on every line', 'a,"b"c\n'],
    ['quotes only', '"'],
    ['a quote on every line', '"\n'],
    ['empty cells', ','],
    ['quoted empty cells', '"",'],
    ['empty lines', '\r\n'],
    ['one line', 'a'],
  ])('of %s', (_what, part) => {
    for (const start of ['email,first_name\n', 'email,first_name\n"']) {
      const text = start + part.repeat(LENGTH / part.length)
      for (const lengthMax of [1024 * 1024, LENGTH / 4])
        for (const pieceLength of [text.length, 1_000, 1])
          expect(work(text, { pieceLength, lengthMax })).toBeLessThan(LOOKS_PER_CHARACTER_MAX)
    }
  })

  it('of whatever repeats itself', () => {
    const part = fc.string({ unit: fc.constantFrom('a', ' ', '"', '""', ',"', '"\n', ',', '\n', '\r'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(17, 1_000, LENGTH),
        fc.constantFrom(500, LENGTH / 4, 1024 * 1024),
        (parts, pieceLength, lengthMax) => {
          const text = parts.map((one) => one.repeat(LENGTH / parts.length / one.length)).join('\n')
          expect(work(text, { pieceLength, lengthMax })).toBeLessThan(LOOKS_PER_CHARACTER_MAX)
        },
      ),
      { numRuns: 200 },
    )
  })
})

it('gives the lines of a long broken row in portions', () => {
  const reader = createCsvReader(',', LENGTH)
  const text = `"${'a\n'.repeat(LENGTH / 2 - 10)}"b\n${'c\n'.repeat(LENGTH)}`
  const portions: number[] = []
  for (let at = 0; at < text.length; at += 100) portions.push(reader.push(text.substring(at, at + 100)).length)
  expect(Math.max(...portions)).toBe(LENGTH / 4 / 2)
  expect(portions.reduce((sum, rows) => sum + rows, 0)).toBe(LENGTH / 2 - 10 + 1 + LENGTH)
})
