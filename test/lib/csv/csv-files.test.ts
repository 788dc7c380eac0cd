import { expect, it } from 'vitest'
import { createCsvFileReader } from '../../../src/lib/csv/csv-files.ts'
import type { Delimiter } from '../../../src/lib/csv/csv-rows.ts'

const read = (delimiter: Delimiter, pieces: string[]) => {
  const reader = createCsvFileReader(delimiter)
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()].map((row) => [
    row.line,
    'cells' in row ? row.cells : row.problem,
  ])
}

it.each<[Delimiter, string]>([
  [';', 'sep=;'],
  [',', 'Sep=,'],
  ['\t', 'sep=\t'],
  ['|', 'sep=|'],
  [';', '"sep=;"'],
  [',', 'sep=,,,'],
])('a line that names the delimiter %j is no row, and the others keep their lines: %j', (delimiter, line) => {
  const file = `${line}\r\nemail${delimiter}name\r\na@example.com${delimiter}Ada\r\n`
  const rows = [
    [2, ['email', 'name']],
    [3, ['a@example.com', 'Ada']],
  ]
  expect(read(delimiter, [file])).toEqual(rows)
  expect(read(delimiter, [...file])).toEqual(rows)
})

it.each<[Delimiter, string]>([
  [',', 'sep=;\nemail\n'],
  [',', 'sep=,x\nemail\n'],
  [',', 'email\nsep=,\n'],
  [',', 'sep=\nemail\n'],
])('any other line is a row: cut by %j, %j', (delimiter, file) => expect(read(delimiter, [file])).toHaveLength(2))
