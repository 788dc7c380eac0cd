// Reads a file of addresses to suppress as it arrives: a CSV file with a header that names a column `email`, such as our own export, or one address
// on each line.
import { createCsvFileReader } from '../../lib/csv/csv-files.ts'
import { type CsvReader, type CsvRow, DELIMITERS, type Delimiter } from '../../lib/csv/csv-rows.ts'
import { isProblem, type Problem } from '../../lib/problem.ts'
import { itIs } from '../../lib/quotation.ts'
import { SUPPRESSION_ORIGINS, type SuppressionOrigin } from '../../schemas/suppressions.ts'
import { suppressibleAddress } from './suppressible-addresses.ts'

/** `problem` is a sentence. */
export type SuppressionFileRow = { line: number } & ({ email: string; origin: SuppressionOrigin } | { problem: string })

export type SuppressionFileReader = {
  /** The rows that this piece completes. */
  push(text: string): SuppressionFileRow[]
  /** The rows that remain. */
  end(): SuppressionFileRow[]
}

/** The columns by their place; null if there is none. */
type Columns = { email: number; origin: number | null }

/** A first line that is longer is no header, and no address. */
const FIRST_LINE_LENGTH_MAX = 64 * 1024

const ADDRESS_HEADINGS = ['email', 'e-mail', 'email address', 'address', 'recipient']

export function createSuppressionFileReader(simulatorDomains: readonly string[]): SuppressionFileReader {
  let beginning = ''
  let opened: { reader: CsvReader; columns: Columns; hasHeader: boolean } | null = null

  function open(text: string): CsvReader {
    const { delimiter, ...layout } = layoutOf(text)
    const reader = createCsvFileReader(delimiter)
    opened = { ...layout, reader }
    return reader
  }

  function read(rows: CsvRow[]): SuppressionFileRow[] {
    if (!opened) return []
    const { columns, hasHeader } = opened
    const kept = hasHeader ? rows.slice(1) : rows
    if (rows.length > 0) opened.hasHeader = false
    return kept.map((row) => readRow(row, columns, simulatorDomains))
  }

  return {
    push(text) {
      if (opened) return read(opened.reader.push(text))
      beginning += text
      return /[\r\n]/.test(beginning.trimStart()) || beginning.length > FIRST_LINE_LENGTH_MAX ? read(open(beginning).push(beginning)) : []
    },
    end() {
      const first = opened ? [] : read(open(beginning).push(beginning))
      return [...first, ...read(opened?.reader.end() ?? [])]
    },
  }
}

/** The delimiter is the one that makes a column of addresses out of the header. */
function layoutOf(beginning: string): { delimiter: Delimiter; columns: Columns; hasHeader: boolean } {
  const firstLine =
    beginning
      .slice(0, FIRST_LINE_LENGTH_MAX)
      .trimStart()
      .split(/[\r\n]/, 1)[0] ?? ''
  for (const delimiter of DELIMITERS) {
    const reader = createCsvFileReader(delimiter)
    const [header] = [...reader.push(firstLine), ...reader.end()]
    const names = header && 'cells' in header ? header.cells.map((cell) => cell.trim().toLowerCase()) : []
    const email = names.findIndex((name) => ADDRESS_HEADINGS.includes(name))
    const origin = names.indexOf('origin')
    if (email !== -1) return { delimiter, columns: { email, origin: origin === -1 ? null : origin }, hasHeader: true }
  }
  return { delimiter: ',', columns: { email: 0, origin: null }, hasHeader: false }
}

function readRow(row: CsvRow, columns: Columns, simulatorDomains: readonly string[]): SuppressionFileRow {
  const { line } = row
  if ('problem' in row) return { line, problem: row.problem }
  const address = withoutGuard(row.cells[columns.email] ?? '')
  const email = suppressibleAddress(address, simulatorDomains)
  if (typeof email !== 'string') return { line, problem: `The address ${email.problem}.${itIs(address)}` }
  const origin = originOf(columns.origin === null ? '' : (row.cells[columns.origin] ?? ''))
  return typeof origin !== 'string' && isProblem(origin) ? { line, ...origin } : { line, email, origin }
}

/** In an export, a cell that a spreadsheet would take for a formula begins with an apostrophe. */
const withoutGuard = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '')

function originOf(cell: string): SuppressionOrigin | Problem {
  const origin = cell.trim().toLowerCase()
  if (origin === '') return 'manual'
  const known = SUPPRESSION_ORIGINS.find((one) => one === origin)
  return known ?? { problem: `The origin must be \`bounce\`, \`complaint\` or \`manual\`, or empty.${itIs(cell)}` }
}
