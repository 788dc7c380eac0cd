import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CsvRow, createCsvReader, DELIMITERS, type Delimiter } from '../../../src/lib/csv/csv-rows.ts'

const ROW_LENGTH_MAX = 20

function readAll(text: string, { delimiter = ',' as Delimiter, pieces = [text], lengthMax = 1_000 } = {}): CsvRow[] {
  const reader = createCsvReader(delimiter, lengthMax)
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}
const short = (rows: CsvRow[]) => rows.map((row) => ('cells' in row ? [row.line, ...row.cells] : [row.line, row.problem]))

describe('a CSV file', () => {
  it.each<[string, string, unknown[]]>([
    [
      'rows that end with LF',
      'a,b\nc,d\n',
      [
        [1, 'a', 'b'],
        [2, 'c', 'd'],
      ],
    ],
    [
      'rows that end with CRLF',
      'a,b\r\nc,d\r\n',
      [
        [1, 'a', 'b'],
        [2, 'c', 'd'],
      ],
    ],
    [
      'rows that end with CR',
      'a,b\rc,d',
      [
        [1, 'a', 'b'],
        [2, 'c', 'd'],
      ],
    ],
    [
      'a last row without an end',
      'a\nb',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'quotes around what delimits',
      '"a,b","c\nd"\ne,f\n',
      [
        [1, 'a,b', 'c\nd'],
        [3, 'e', 'f'],
      ],
    ],
    ['quotes in quotes', '"a ""b"" c",""\n', [[1, 'a "b" c', '']]],
    ['a quote inside a cell', 'a"b,c\n', [[1, 'a"b', 'c']]],
    [
      'empty lines and rows of nothing',
      'a,b\n\n,\n \nc,d\n',
      [
        [1, 'a', 'b'],
        [5, 'c', 'd'],
      ],
    ],
    [
      'a quote that is closed too early',
      'a,"b"c\nd,e\n',
      [
        [1, 'The row has text after a closing double quote.'],
        [2, 'd', 'e'],
      ],
    ],
    [
      'a quote that is never closed',
      'a,"b\nd,e\n',
      [
        [1, 'The row has a double quote that is not closed.'],
        [2, 'd', 'e'],
      ],
    ],
    ['nothing', '', []],
  ])('is read with %s', (_what, text, rows) => {
    expect(short(readAll(text))).toEqual(rows)
  })

  it('is read the same however it is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', '"', '""', '"\n', ',"', ',', '\n', '\r', '\r\n', ' '), maxLength: 60 }),
        fc.array(fc.nat(60), { maxLength: 8 }),
        (text, cuts) => {
          const bounds = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
          const pieces = bounds.slice(1).map((bound, index) => text.slice(bounds[index], bound))
          expect(readAll(text, { pieces })).toEqual(readAll(text))
          for (const lengthMax of [5, ROW_LENGTH_MAX]) {
            expect(readAll(text, { pieces, lengthMax })).toEqual(readAll(text, { pieces: [...text], lengthMax }))
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('that was written by the rules is read as it was meant', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '|', '\n', ' '), maxLength: 8 })
    const row = fc.array(cell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.some((one) => one.trim() !== ''))
    fc.assert(
      fc.property(fc.array(row), fc.constantFrom(...DELIMITERS), fc.constantFrom('\n', '\r\n'), (rows, delimiter, end) => {
        const text = rows.map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(delimiter) + end).join('')
        expect(readAll(text, { delimiter }).map((one) => ('cells' in one ? one.cells : one.problem))).toEqual(rows)
      }),
    )
  })

  it('with a row that is too long is read without it', () => {
    const text = `a,b\n${'x'.repeat(100)}\nc,d\n"${'y\n'.repeat(30)}`
    const rows = short(readAll(text, { pieces: text.match(/.{1,7}/gs) ?? [], lengthMax: ROW_LENGTH_MAX }))
    expect(rows.slice(0, 4)).toEqual([
      [1, 'a', 'b'],
      [2, 'The row is longer than 20 characters.'],
      [3, 'c', 'd'],
      [4, 'The row is longer than 20 characters.'],
    ])
    expect(rows).toHaveLength(4 + 29)
  })

  it('with a row that is too long keeps its line numbers when a piece ends between CR and the next line', () => {
    const rows = readAll('', { pieces: ['x'.repeat(30), '\r', 'y'], lengthMax: ROW_LENGTH_MAX })
    expect(short(rows)).toEqual([
      [1, 'The row is longer than 20 characters.'],
      [2, 'y'],
    ])
  })
})
