// Reads the rows of a CSV file (RFC 4180) that arrives in pieces. A broken row is reported and skipped, and the rows after it are read. No row,
// however long, takes more memory than the longest row that is allowed.

/**
 * `line` is the line where the row begins, counted from 1. `length` is what the row takes of the file, in characters; for a broken row at most the
 * longest length that is allowed. A row with a problem has its cells only if they are certain (lib/csv/csv-files.ts).
 */
export type CsvRow = { line: number; length: number } & ({ cells: string[] } | { problem: string; cells?: string[] })

export type CsvReader = {
  /** The rows that this piece completes. Rows after a long row may come with a later piece. */
  push(text: string): CsvRow[]
  /** The rows that remain. */
  end(): CsvRow[]
}

/** The maximum length of a row, in characters. A longer row is not a row of contacts. */
export const ROW_LENGTH_MAX = 1024 * 1024

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** A share of the longest row. A long row is read again when it has grown by this much, and one piece completes rows of this much. */
const STEP = 1 / 4

/** Lines end with CR, LF or both. Rows without any text are ignored, because spreadsheets add them. */
export function createCsvReader(delimiter: Delimiter, rowLengthMax = ROW_LENGTH_MAX): CsvReader {
  const tooLong = `The row is longer than ${rowLengthMax.toLocaleString('en')} characters.`
  let text = ''
  let line = 1
  /** The rest of a row that is too long is discarded as it arrives. */
  let isSkipping = false
  /** A row that has not ended is read again from its start, but not for every piece, so the work stays in proportion to the file. */
  let lengthToRead = 0
  const quotedRows = createQuotedRows({ delimiter, rowLengthMax })

  function read(isEnd: boolean, upTo: number): CsvRow[] {
    const rows: CsvRow[] = []
    const nextQuote = finder(text, '"')
    const lineEndAfter = lineEnds(text, isEnd)
    let at = 0
    while (at < text.length && at < upTo) {
      const end = lineEndAfter(at)
      if (!end && (isSkipping || text.length - at > rowLengthMax)) {
        if (!isSkipping) rows.push({ line, length: rowLengthMax, problem: tooLong })
        isSkipping = true
        // A CR stays, because its LF may not have arrived yet.
        return wait(text.endsWith('\r') ? text.length - 1 : text.length, rows)
      }
      if (!end) return wait(at, rows)
      if (isSkipping) {
        isSkipping = false
        line += 1
        at = end.next
        continue
      }
      const whole = cutRow(at, end)
      if (!whole && text.length - at <= rowLengthMax) return wait(at, rows)
      const cut = whole && whole.reach - at <= rowLengthMax ? whole : brokenRow(tooLong, end)
      const length = cut.next - at
      if ('problem' in cut) rows.push({ line, length: Math.min(length, rowLengthMax), problem: cut.problem })
      else if (cut.cells.some((cell) => cell.trim() !== '')) rows.push({ line, length, cells: cut.cells })
      line += 1
      for (let from = end.next; from < cut.next; from = lineEndAfter(from)?.next ?? cut.next) line += 1
      at = cut.next
    }
    keep(at)
    lengthToRead = 0
    return rows

    function cutRow(start: number, end: LineEnd): Cut | null {
      const quote = nextQuote(start)
      if (quote !== -1 && quote < end.at) return quotedRows.cut({ text, isEnd }, start, end)
      return { cells: text.slice(start, end.at).split(delimiter), next: end.next, reach: end.next }
    }
  }

  function wait(from: number, rows: CsvRow[]): CsvRow[] {
    keep(from)
    lengthToRead = text.length + Math.min(text.length, rowLengthMax * STEP)
    return rows
  }

  function keep(from: number): void {
    text = text.slice(from)
    quotedRows.moveBack(from)
  }

  function push(piece: string): CsvRow[] {
    text += piece
    // More than the piece brings, so that the remainder does not grow.
    return text.length < lengthToRead ? [] : read(false, Math.max(rowLengthMax * STEP, 2 * piece.length))
  }

  return { push, end: () => read(true, Number.POSITIVE_INFINITY) }
}

/** Null if the line has not ended, or ends with a CR whose LF may not have arrived. The end of the text ends a line too. */
type LineEndAfter = (from: number) => LineEnd | null

/** Where lines end, asked with rising positions, so that each character is read once. */
function lineEnds(text: string, isEnd: boolean): LineEndAfter {
  const nextLf = finder(text, '\n')
  const nextCr = finder(text, '\r')
  return (from) => {
    const lf = nextLf(from)
    const cr = nextCr(from)
    const first = lf === -1 || (cr !== -1 && cr < lf) ? cr : lf
    const at = first === -1 ? text.length : first
    const next = lineEndAt(text, at, isEnd)
    return next === null ? null : { at, next }
  }
}

/** `indexOf` for rising positions, which does not read again what it has passed. */
function finder(text: string, wanted: string): (from: number) => number {
  let found = -2
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf(wanted, from)
    return found
  }
}

/** `reach` is how far the text was read. */
type Cut = { next: number; reach: number } & ({ cells: string[] } | { problem: string })

/** Where a line ends, and where the next one begins. */
type LineEnd = { at: number; next: number }

/** What has arrived. `isEnd`: nothing more will. */
type Arrived = { text: string; isEnd: boolean }

type QuotedRows = {
  /** The row that begins at `start`, with a first line that ends at `firstEnd`. Null if the end of the row has not arrived. */
  cut(arrived: Arrived, start: number, firstEnd: LineEnd): Cut | null
  /** The text is cut off before `from`. */
  moveBack(from: number): void
}

/** How far rows with quotes were read, and the result for the row that got this far. */
type Followed = { to: number; cut: Cut | null }

const NOTHING: Followed = { to: 0, cut: null }

const NOT_CLOSED = 'The row has a double quote that is not closed.'

const MISPLACED = 'The row has text after a closing double quote.'

function createQuotedRows({ delimiter, rowLengthMax }: { delimiter: string; rowLengthMax: number }): QuotedRows {
  let followed: Followed = NOTHING

  function cutRow(arrived: Arrived, start: number, firstEnd: LineEnd): Cut | null {
    const { text, isEnd } = arrived
    const cells: string[] = []
    for (let at = start; ; at += 1) {
      if (text.charAt(at) === '"') {
        const close = closingQuote(text, at + 1)
        const leavesLine = close === -1 || close > firstEnd.at
        // Text within quotes at the end of a line continues in the same way wherever it began, so it is not followed twice. Otherwise each line
        // would be followed again after an extra quote.
        if (leavesLine && firstEnd.at < followed.to && !isWhole(followed.cut, start)) return again(followed.cut, firstEnd)
        // At the end of a piece it is unknown whether a quote closes, or is the first of two.
        if (!isEnd && (close === -1 || close === text.length - 1)) return reached(text.length, null)
        if (close === -1) return reached(text.length, brokenRow(NOT_CLOSED, firstEnd, text.length))
        cells.push(text.slice(at + 1, close).replaceAll('""', '"'))
        at = close + 1
        if (!isCellEnd(text, at)) return reached(at, brokenRow(MISPLACED, firstEnd, at))
      } else {
        const to = cellEnd(text, at)
        if (to === text.length && !isEnd) return reached(to, null)
        cells.push(text.slice(at, to))
        at = to
      }
      if (text.charAt(at) !== delimiter) {
        const next = lineEndAt(text, at, isEnd)
        return reached(at, next === null ? null : { cells, next, reach: next })
      }
    }
  }

  function reached(to: number, cut: Cut | null): Cut | null {
    if (to > followed.to) followed = { to, cut }
    return cut
  }

  const isWhole = (cut: Cut | null, start: number): boolean => cut !== null && 'cells' in cut && cut.next - start <= rowLengthMax

  function isCellEnd(text: string, at: number): boolean {
    const character = text.charAt(at)
    return character === '' || character === delimiter || character === '\n' || character === '\r'
  }

  function cellEnd(text: string, from: number): number {
    let to = from
    while (!isCellEnd(text, to)) to += 1
    return to
  }

  return {
    cut: cutRow,
    moveBack(from) {
      const { to, cut } = followed
      followed = cut ? { to: to - from, cut: { ...cut, next: cut.next - from, reach: cut.reach - from } } : NOTHING
    },
  }
}

/** The result of an earlier row, for one that leads into the same text. */
const again = (cut: Cut | null, firstEnd: LineEnd): Cut | null =>
  cut && 'problem' in cut ? brokenRow(cut.problem, firstEnd, cut.reach) : cut

/** Only the first line of a broken row is given up, because an extra quote may have made one row of thousands. */
function brokenRow(problem: string, { next }: LineEnd, reach = next): Cut {
  return { problem, next, reach: Math.max(next, reach) }
}

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text.charAt(at + 1) === '"') at = text.indexOf('"', at + 2)
  return at
}

/** Where the next line begins, if a line ends here. */
function lineEndAt(text: string, at: number, isEnd: boolean): number | null {
  if (at === text.length) return isEnd ? at : null
  if (text.charAt(at) === '\n') return at + 1
  if (at === text.length - 1 && !isEnd) return null
  return text.charAt(at + 1) === '\n' ? at + 2 : at + 1
}
