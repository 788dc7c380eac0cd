// Where a file of suppressions has its addresses and their origins, told from its first line. The columns are those that the lists of Amazon SES
// (ListSuppressedDestinations and its import files), SendGrid (Suppressions), Mailgun (suppressions API and its CSV files) and Postmark (suppression
// dump) have, and those of our own export.
import { createCsvFileReader } from '../../lib/csv/csv-files.ts'
import { type CsvReader, type CsvRow, DELIMITERS, type Delimiter } from '../../lib/csv/csv-rows.ts'
import { invalid } from '../../lib/failure.ts'
import { isProblem, type Problem, problem, quoted, quotedValue } from '../../lib/problem.ts'
import { contactAddress } from '../../mail/address-forms.ts'
import { simulatedOutcome } from '../../mail/simulator.ts'
import type { SuppressionOrigin } from './suppressions.schema.ts'

/**
 * An address in the form in which the suppression list has it. Addresses of the simulator are refused, because mail to them is never skipped for
 * being on the list.
 */
export function suppressibleAddress(text: string, simulatorDomains: readonly string[]): string | Problem {
  const email = contactAddress(text)
  if (typeof email !== 'string' && isProblem(email)) return email
  return simulatedOutcome(email, simulatorDomains) === null
    ? email
    : problem('is an address of the simulator, which cannot be suppressed: mail to `suppressed@` of this domain shows what would happen')
}

export type SuppressionLayout = {
  /** Place of the column of addresses. */
  email: number
  /** Why the row is on the list; a problem if it should not be on ours. */
  readOrigin(cells: string[]): SuppressionOrigin | Problem
  hasHeader: boolean
  /** Whose list it is, for people; null for a file of no known provider. */
  source: string | null
}

/** The first that a header has. Longer names come before those that may also mean a street or a person. */
const ADDRESS_NAMES = ['email', 'emailaddress', 'address', 'recipient']

/** Names of reasons at all of them, and at us, without blanks and signs. */
const ORIGINS_BY_WORD = new Map<string, SuppressionOrigin>([
  ['bounce', 'bounce'],
  ['hardbounce', 'bounce'],
  ['complaint', 'complaint'],
  ['spamcomplaint', 'complaint'],
  ['manual', 'manual'],
  ['manualsuppression', 'manual'],
  ['unsubscribe', 'manual'],
  ['unsubscribed', 'manual'],
])

/** A file that has these columns, and none of the others. */
type Known = { source: string; has: string[]; hasNot: string[]; origin: SuppressionOrigin | { column: string } }

/** The first that fits is taken. */
const KNOWN: Known[] = [
  { source: 'suppressions of Postmark', has: ['emailaddress', 'suppressionreason'], hasNot: [], origin: { column: 'suppressionreason' } },
  { source: 'suppression list of Amazon SES', has: ['emailaddress', 'reason'], hasNot: ['origin'], origin: { column: 'reason' } },
  { source: 'bounces of SendGrid', has: ['email', 'reason', 'status'], hasNot: ['origin'], origin: 'bounce' },
  { source: 'invalid addresses of SendGrid', has: ['email', 'reason', 'created'], hasNot: ['origin'], origin: 'bounce' },
  { source: 'spam reports of SendGrid', has: ['email', 'ip', 'created'], hasNot: ['origin'], origin: 'complaint' },
  { source: 'unsubscribes of SendGrid', has: ['email', 'created'], hasNot: ['origin'], origin: 'manual' },
  { source: 'bounces of Mailgun', has: ['address', 'code', 'error'], hasNot: ['email', 'origin'], origin: 'bounce' },
  { source: 'unsubscribes of Mailgun', has: ['address', 'tags'], hasNot: ['email', 'origin'], origin: 'manual' },
  { source: 'unsubscribes of Mailgun', has: ['address', 'tag'], hasNot: ['email', 'origin'], origin: 'manual' },
  { source: 'complaints of Mailgun', has: ['address', 'createdat'], hasNot: ['email', 'origin', 'reason', 'type'], origin: 'complaint' },
]

export type LayoutOptions = {
  /** Name of the column of addresses, or its place counted from 1, where the file does not tell. */
  column?: string
  /** The origin for rows that give none. */
  origin?: SuppressionOrigin
  /** Follows the sentence about a file that does not tell which column has the addresses. */
  howToName?: string
}

/**
 * @param splits the first line, split at each delimiter that may be that of the file.
 * @returns which split is right, and what its columns are.
 * @throws Failure if no column has the addresses, or more than one may.
 */
export function suppressionLayout(splits: string[][], options: LayoutOptions): { split: number; layout: SuppressionLayout } {
  for (const [split, cells] of splits.entries()) {
    const email = namedColumn(cells.map(wordOf), options.column)
    if (email !== -1) return { split, layout: withHeader(cells.map(wordOf), email, options) }
  }
  const lengths = splits.map((cells) => cells.length)
  const split = lengths.indexOf(Math.max(...lengths))
  const cells = splits[split] ?? []
  const email = findColumn(cells, options)
  const hasHeader = cells.length > 1 && !isAddress(cells[email])
  return { split, layout: hasHeader ? withHeader(cells.map(wordOf), email, options) : withoutHeader(cells, email, options) }
}

function withHeader(names: string[], email: number, { origin: other = 'manual' }: LayoutOptions): SuppressionLayout {
  const isOurs = names.includes('email') && names.includes('origin')
  const isKnown = ({ has, hasNot }: Known) => has.every((one) => names.includes(one)) && !hasNot.some((one) => names.includes(one))
  const known = isOurs ? undefined : KNOWN.find(isKnown)
  const tags = known ? names.findIndex((name) => name === 'tags' || name === 'tag') : -1
  const reason = names.indexOf(typeof known?.origin === 'object' ? known.origin.column : 'origin')
  const fixed = typeof known?.origin === 'string' ? known.origin : other
  return {
    email,
    hasHeader: true,
    source: known?.source ?? null,
    readOrigin(cells) {
      const tag = tags === -1 ? '' : (cells[tags] ?? '')
      if (!isOfEveryMail(tag)) return problem(`${ONE_TAG}${quotedValue(tag)}`)
      return typeof known?.origin === 'string' || reason === -1 ? fixed : originIn(cells[reason] ?? '', fixed)
    },
  }
}

/** Reads files without a header, such as the ones that Amazon SES takes: `ada@example.com,BOUNCE`. */
function withoutHeader(first: string[], email: number, { origin = 'manual' }: LayoutOptions): SuppressionLayout {
  const reason = first.findIndex((cell, place) => place !== email && ORIGINS_BY_WORD.has(wordOf(cell)))
  return {
    email,
    hasHeader: false,
    source: null,
    readOrigin: (cells) => (reason === -1 ? origin : originIn(cells[reason] ?? '', origin)),
  }
}

function namedColumn(names: string[], column: string | undefined): number {
  const wanted = column === undefined ? ADDRESS_NAMES : [wordOf(column)]
  const name = wanted.find((one) => one !== '' && names.includes(one))
  return name === undefined ? -1 : names.indexOf(name)
}

/** Where no column has a name that tells. A line of one cell is an address, or its row is refused. */
function findColumn(cells: string[], { column, howToName = '' }: LayoutOptions): number {
  if (column !== undefined) {
    const place = /^\d{1,6}$/.test(column) ? Number(column) - 1 : -1
    if (cells[place] === undefined) throw invalid(`The file has no column ${quoted(column)}; its first line has ${namesOf(cells)}.`)
    return place
  }
  if (cells.length < 2) return 0
  const places = cells.flatMap((cell, place) => (isAddress(cell) ? [place] : []))
  const [place] = places
  if (places.length > 1) throw invalid(`The first line has several addresses, and does not say which one to suppress.${howToName}`)
  if (place === undefined)
    throw invalid(`The file does not say which column has the addresses; its first line has ${namesOf(cells)}.${howToName}`)
  return place
}

function originIn(cell: string, empty: SuppressionOrigin): SuppressionOrigin | Problem {
  if (cell.trim() === '') return empty
  return (
    ORIGINS_BY_WORD.get(wordOf(cell)) ??
    problem(`The origin must be \`bounce\`, \`complaint\` or \`manual\`, or empty.${quotedValue(cell)}`)
  )
}

const isAddress = (cell = ''): boolean => cell.includes('@')

/** Mailgun writes `*` for all mail, alone or as a list. */
const isOfEveryMail = (tags: string): boolean => tags.trim() === '' || tags.includes('*')

const ONE_TAG = 'The address unsubscribed from mail with one tag only, and may get other mail.'

/** A name without what differs between files: capitals, blanks and signs. */
const wordOf = (cell: string): string => cell.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Enough names to recognize the file by. */
const NAMES_SHOWN_MAX = 8
const namesOf = (cells: string[]): string => {
  const shown = cells.slice(0, NAMES_SHOWN_MAX).map((cell) => quoted(cell.trim()))
  return cells.length > NAMES_SHOWN_MAX ? `${shown.join(', ')} and more` : shown.join(', ')
}

// Reads a file of addresses to suppress as it arrives: a CSV file whose header names a column of addresses, such as our own export and those of
// other providers, or one address on each line.

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
    const { delimiter, layout } = detectDelimiterAndColumns(text, options)
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
function detectDelimiterAndColumns(beginning: string, options: LayoutOptions): { delimiter: Delimiter; layout: SuppressionLayout } {
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
  const origin = layout.readOrigin(row.cells)
  return typeof origin !== 'string' && isProblem(origin) ? { line, ...origin } : { line, email, origin }
}

/** In an export, a cell that a spreadsheet would take for a formula begins with an apostrophe. */
const withoutGuard = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '')
