// Rows of a CSV file (RFC 4180) that arrives in pieces. A row that is broken is told of and left behind; the rows behind it are read all the same,
// and no row, however long, takes more memory than the longest that is allowed.

/** `line` is where the row begins, from 1; `length` what it takes of the file, in characters: of a broken row the longest that is allowed at most. */
export type CsvRow = { line: number; length: number } & ({ cells: string[] } | { problem: string })

export type CsvReader = {
  /** The rows that are found with this piece: those behind a long row may come with a later one. */
  push(text: string): CsvRow[]
  /** The rows that remain. */
  end(): CsvRow[]
}

/** Of a row, in characters: what is longer is no row of contacts. */
export const ROW_LENGTH_MAX = 1024 * 1024

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** Of the longest row, what is worth a look: a long row is looked at again when it has grown by as much, and one piece gives the rows of as much. */
const STEP = 1 / 4

const NOT_CLOSED = 'The row has a double quote that is not closed.'
const MISPLACED = 'The row has text after a closing double quote.'

/** Lines end with CR, LF or both. Rows without any text are no rows: spreadsheets leave them behind. */
export function createCsvReader(delimiter: Delimiter, rowLengthMax = ROW_LENGTH_MAX): CsvReader {
  const tooLong = `The row is longer than ${rowLengthMax.toLocaleString('en')} characters.`
  let text = ''
  let line = 1
  /** The rest of a row that is too long is thrown away as it comes. */
  let isSkipping = false
  /** A row that has not ended is read again from its start, but not for every piece: so the work stays in proportion to the file. */
  let lengthToRead = 0
  let followed: Followed = NOTHING

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
        // A CR stays: the LF behind it may be on its way.
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
      if (quote !== -1 && quote < end.at) return cutQuoted(start, end)
      return { cells: text.slice(start, end.at).split(delimiter), next: end.next, reach: end.next }
    }

    /** A row with quotes in it. Null: its end has not arrived. */
    function cutQuoted(start: number, firstEnd: LineEnd): Cut | null {
      const cells: string[] = []
      for (let at = start; ; at += 1) {
        if (text.charAt(at) === '"') {
          const close = closingQuote(at + 1)
          const leavesLine = close === -1 || close > firstEnd.at
          // Whatever is within quotes at the end of a line goes on alike, wherever it began: it is not followed twice, or a quote too many would be by each line.
          if (leavesLine && firstEnd.at < followed.to && !isCutWithin(followed.cut, start)) {
            const { cut } = followed
            return cut && 'problem' in cut ? brokenRow(cut.problem, firstEnd, cut.reach) : cut
          }
          // At the end of a piece nobody knows whether a quote closes, or is the first of two.
          if (!isEnd && (close === -1 || close === text.length - 1)) return reached(text.length, null)
          if (close === -1) return reached(text.length, brokenRow(NOT_CLOSED, firstEnd, text.length))
          const cell = text.slice(at + 1, close)
          cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell)
          at = close + 1
          if (!isCellEnd(at)) return reached(at, brokenRow(MISPLACED, firstEnd, at))
        } else {
          let to = at
          while (!isCellEnd(to)) to += 1
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

    function isCutWithin(cut: Cut | null, start: number): boolean {
      return cut !== null && 'cells' in cut && cut.next - start <= rowLengthMax
    }

    function isCellEnd(at: number): boolean {
      const character = text.charAt(at)
      return character === '' || character === delimiter || character === '\n' || character === '\r'
    }
  }

  function wait(from: number, rows: CsvRow[]): CsvRow[] {
    keep(from)
    lengthToRead = text.length + Math.min(text.length, rowLengthMax * STEP)
    return rows
  }

  function keep(from: number): void {
    text = text.slice(from)
    const { to, cut } = followed
    followed = cut ? { to: to - from, cut: { ...cut, next: cut.next - from, reach: cut.reach - from } } : NOTHING
  }

  function closingQuote(from: number): number {
    let at = text.indexOf('"', from)
    while (at !== -1 && text.charAt(at + 1) === '"') at = text.indexOf('"', at + 2)
    return at
  }

  function push(piece: string): CsvRow[] {
    text += piece
    // More than the piece brings, so that what is left over does not grow.
    return text.length < lengthToRead ? [] : read(false, Math.max(rowLengthMax * STEP, 2 * piece.length))
  }

  return { push, end: () => read(true, Number.POSITIVE_INFINITY) }
}

/** `reach`: up to where it had to be looked at. */
type Cut = { next: number; reach: number } & ({ cells: string[] } | { problem: string })

/** How far rows with quotes were looked at, and what became of the row that came so far. */
type Followed = { to: number; cut: Cut | null }
const NOTHING: Followed = { to: 0, cut: null }

/** Of a row that is broken only its first line is given up: a quote too many may have made one row of thousands. */
function brokenRow(problem: string, { next }: LineEnd, reach = next): Cut {
  return { problem, next, reach: Math.max(next, reach) }
}

type LineEnd = { at: number; next: number }

/** Null: the line has not ended, or ends with a CR whose LF may be on its way. The end of the text ends a line as well. */
type LineEndAfter = (from: number) => LineEnd | null

/** Where lines end, asked with rising positions: each character is looked at once. */
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

/** Where the next line begins, when a line ends here. */
function lineEndAt(text: string, at: number, isEnd: boolean): number | null {
  if (at === text.length) return isEnd ? at : null
  if (text.charAt(at) === '\n') return at + 1
  if (at === text.length - 1 && !isEnd) return null
  return text.charAt(at + 1) === '\n' ? at + 2 : at + 1
}

/** `indexOf` for rising positions, which does not look again at what it has passed. */
function finder(text: string, wanted: string): (from: number) => number {
  let found = -2
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf(wanted, from)
    return found
  }
}
