// How much work a file can make: the time of this thread, with so much room that only work that grows with the square of the file exceeds it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCsvReader } from '../../../src/lib/csv/csv-rows.ts'

const LENGTH = 200_000
/** A file of this length takes some milliseconds. One whose every line is followed to its end takes minutes. */
const CPU_MS_MAX = 2_000

/** Reads the file in pieces, and returns what that took. Ends early when it has taken far too long. */
function cpuMs(text: string, { pieceLength = text.length, lengthMax = 1024 * 1024 } = {}): number {
  const before = process.threadCpuUsage()
  const spentMs = () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }
  const reader = createCsvReader(',', lengthMax)
  for (let at = 0; at < text.length; at += pieceLength) {
    reader.push(text.substring(at, at + pieceLength))
    if (at % 1_000 === 0 && spentMs() > 2 * CPU_MS_MAX) break
  }
  reader.end()
  return spentMs()
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
        for (const pieceLength of [text.length, 1_000, 1]) expect(cpuMs(text, { pieceLength, lengthMax })).toBeLessThan(CPU_MS_MAX)
    }
  })

  it('of whatever repeats itself', () => {
    const part = fc.string({ unit: fc.constantFrom('a', ' ', '"', '""', ',"', '"\n', ',', '\n', '\r'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(17, 1_000, LENGTH),
        fc.constantFrom(5_000, LENGTH / 4, 1024 * 1024),
        (parts, pieceLength, lengthMax) => {
          const text = parts.map((one) => one.repeat(LENGTH / parts.length / one.length)).join('\n')
          expect(cpuMs(text, { pieceLength, lengthMax })).toBeLessThan(CPU_MS_MAX)
        },
      ),
      { numRuns: 100 },
    )
  })
})

it('gives the lines of a long broken row in portions', () => {
  const length = 20_000
  const reader = createCsvReader(',', length)
  const text = `"${'a\n'.repeat(length / 2 - 10)}"b\n${'c\n'.repeat(length)}`
  const portions: number[] = []
  for (let at = 0; at < text.length; at += 100) portions.push(reader.push(text.substring(at, at + 100)).length)
  expect(Math.max(...portions)).toBe(length / 4 / 2)
  expect(portions.reduce((sum, rows) => sum + rows, 0)).toBe(length / 2 - 10 + 1 + length)
})
