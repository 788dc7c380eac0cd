import { type CsvReader, type CsvRow, createCsvReader, type Delimiter } from './csv-rows.ts'

/** The rows of a file, without a first line such as `sep=;`: with it files tell Excel how they are delimited. The lines keep their numbers. */
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

/** Cut by that delimiter already, and with as many empty cells behind it as a spreadsheet left. */
function namesDelimiter(row: CsvRow, delimiter: Delimiter): boolean {
  if (!('cells' in row)) return false
  const [first = '', ...others] = row.cells
  const name = first.trim().toLowerCase()
  const isCut = name === 'sep=' && others.length > 0
  return (isCut || name === `sep=${delimiter}`) && others.every((cell) => cell.trim() === '')
}
