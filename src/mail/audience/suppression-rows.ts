// Reads a file of addresses to suppress as it arrives: a CSV file whose header names a column of addresses, such as our own export and those of
// other providers, or one address on each line.
import { createCsvFileReader } from '../../lib/csv/csv-files.ts'
import { type CsvReader, type CsvRow, DELIMITERS, type Delimiter } from '../../lib/csv/csv-rows.ts'
import { isProblem } from '../../lib/problem.ts'
import { quotedValue } from '../../lib/quotation.ts'
import type { SuppressionOrigin } from '../../schemas/suppressions.ts'
import { suppressibleAddress } from './suppressible-addresses.ts'
import { type LayoutOptions, type SuppressionLayout, suppressionLayout } from './suppression-layouts.ts'

/** `problem` is a sentence. */
export type SuppressionFileRow = { line: number } & ({ email: string; origin: SuppressionOrigin } | { problem: string })

/** `push` and `end` throw a Failure, before the first row, if the file does not say which column has the addresses. */
export type SuppressionFileReader = {
  /** The rows that this piece completes. */
  push(text: string): SuppressionFileRow[]
  /** The rows that remain. */
  end(): SuppressionFileRow[]
}

export type FileOptions = LayoutOptions & {
  /** Called before the first row, with whose list it is. */
  onSource?: (source: string) => void
}

/** A first line that is longer is no header, and no address. */
const FIRST_LINE_LENGTH_MAX = 64 * 1024

export function createSuppressionFileReader(simulatorDomains: readonly string[], options: FileOptions = {}): SuppressionFileReader {
  let beginning = ''
  let opened: { reader: CsvReader; layout: SuppressionLayout; hasHeader: boolean } | null = null

  function open(text: string): CsvReader {
    const { delimiter, layout } = layoutOf(text, options)
    const reader = createCsvFileReader(delimiter)
    opened = { layout, hasHeader: layout.hasHeader, reader }
    if (layout.source !== null) options.onSource?.(layout.source)
    return reader
  }

  function read(rows: CsvRow[]): SuppressionFileRow[] {
    if (!opened) return []
    const { layout, hasHeader } = opened
    const kept = hasHeader ? rows.slice(1) : rows
    if (rows.length > 0) opened.hasHeader = false
    return kept.map((row) => readRow(row, layout, simulatorDomains))
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

/** The delimiter is the one that makes a column of addresses out of the first line. */
function layoutOf(beginning: string, options: LayoutOptions): { delimiter: Delimiter; layout: SuppressionLayout } {
  const firstLine =
    beginning
      .slice(0, FIRST_LINE_LENGTH_MAX)
      .trimStart()
      .split(/[\r\n]/, 1)[0] ?? ''
  const splits = DELIMITERS.map((delimiter) => {
    const reader = createCsvFileReader(delimiter)
    const [first] = [...reader.push(firstLine), ...reader.end()]
    return first?.cells ?? []
  })
  const { split, layout } = suppressionLayout(splits, options)
  return { delimiter: DELIMITERS[split] ?? ',', layout }
}

function readRow(row: CsvRow, layout: SuppressionLayout, simulatorDomains: readonly string[]): SuppressionFileRow {
  const { line } = row
  if ('problem' in row) return { line, problem: row.problem }
  const address = withoutGuard(row.cells[layout.email] ?? '')
  const email = suppressibleAddress(address, simulatorDomains)
  if (typeof email !== 'string') return { line, problem: `The address ${email.problem}.${quotedValue(address)}` }
  const origin = layout.originOf(row.cells)
  return typeof origin !== 'string' && isProblem(origin) ? { line, ...origin } : { line, email, origin }
}

/** In an export, a cell that a spreadsheet would take for a formula begins with an apostrophe. */
const withoutGuard = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '')
