import { type CsvReader, type CsvRow, createCsvReader, type Delimiter } from './csv-rows.ts'

/** The rows of a file, without a first line such as `sep=;`, which tells Excel the delimiter. Line numbers include that line. */
export function createCsvFileReader(delimiter: Delimiter): CsvReader {
  const reader = createCsvReader(delimiter)
  let isAtStart = true
  function withoutDelimiterLine(rows: CsvRow[]): CsvRow[] {
    const [first] = rows
    if (!isAtStart || !first) return rows
    isAtStart = false
    return namesDelimiter(first, delimiter) ? rows.slice(1) : rows
  }
  return { push: (text) => withoutDelimiterLine(reader.push(text)), end: () => withoutDelimiterLine(reader.end()) }
}

/** The line is already split at that delimiter, and may end in the empty cells that a spreadsheet added. */
function namesDelimiter(row: CsvRow, delimiter: Delimiter): boolean {
  if (!('cells' in row)) return false
  const [first = '', ...others] = row.cells
  const name = first.trim().toLowerCase()
  const isCut = name === 'sep=' && others.length > 0
  return (isCut || name === `sep=${delimiter}`) && others.every((cell) => cell.trim() === '')
}
