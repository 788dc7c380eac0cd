import { type CsvReader, type CsvRow, createCsvReader, type Delimiter } from './csv-rows.ts'
import { badByteIn } from './text-encoding.ts'

/**
 * The rows of a file, without a first line such as `sep=;`, which tells Excel the delimiter. Line numbers include that line. A row with bytes that
 * could not be decoded has a problem, and its cells.
 */
export function createCsvFileReader(delimiter: Delimiter): CsvReader {
  const reader = createCsvReader(delimiter)
  let isAtStart = true
  function withoutDelimiterLine(rows: CsvRow[]): CsvRow[] {
    const [first] = rows
    if (!isAtStart || !first) return rows
    isAtStart = false
    return namesDelimiter(first, delimiter) ? rows.slice(1) : rows
  }
  const read = (rows: CsvRow[]): CsvRow[] => withoutDelimiterLine(rows).map(withBadByte)
  return { push: (text) => read(reader.push(text)), end: () => read(reader.end()) }
}

/** The row, with a problem if a cell has bytes that could not be decoded. */
function withBadByte(row: CsvRow): CsvRow {
  if ('problem' in row) return row
  for (const cell of row.cells) {
    const offset = badByteIn(cell)
    if (offset !== null) return { ...row, problem: badByte(offset) }
  }
  return row
}

const badByte = (offset: number): string =>
  `The row has bytes that are not valid text, from byte offset ${offset} of the file: save the file as CSV in UTF-8, and import it again.`

/** The line is already split at that delimiter, and may end in the empty cells that a spreadsheet added. */
function namesDelimiter(row: CsvRow, delimiter: Delimiter): boolean {
  if ('problem' in row) return false
  const [first = '', ...others] = row.cells
  const name = first.trim().toLowerCase()
  const isCut = name === 'sep=' && others.length > 0
  return (isCut || name === `sep=${delimiter}`) && others.every((cell) => cell.trim() === '')
}

/**
 * A line of CSV (RFC 4180). A cell that a spreadsheet would take for a formula starts with an apostrophe, so that text from strangers is never
 * executed.
 */
export const csvLine = (cells: string[]): string => `${cells.map(quoted).join(',')}\r\n`

const FORMULA = /^[=+\-@\t\r]/

function quoted(cell: string): string {
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
