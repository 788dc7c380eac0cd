// Rows of a CSV file (RFC 4180) that arrives in pieces. A row that is broken is told of and left behind; the rows behind it are read all the same,
// and no row, however long, takes more memory than the longest that is allowed.

/** `line` is where the row begins, from 1; `length` what it takes of the file, in characters. */
export type CsvRow = { line: number; length: number } & ({ cells: string[] } | { problem: string })

export type CsvReader = {
  /** The rows that are complete with this piece. */
  push(text: string): CsvRow[]
  /** The rows that remain. */
  end(): CsvRow[]
}

/** Of a row, in characters: what is longer is no row of contacts. */
export const ROW_LENGTH_MAX = 1024 * 1024

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

const NOT_CLOSED = 'The row has a double quote that is not closed.'
const MISPLACED = 'The row has text behind a closing double quote.'

/** Lines end with CR, LF or both. Rows without any text are no rows: spreadsheets leave them behind. */
export function createCsvReader(delimiter: Delimiter, rowLengthMax = ROW_LENGTH_MAX): CsvReader {
  const tooLong = `The row is longer than ${rowLengthMax.toLocaleString('en')} characters.`
  let text = ''
  let line = 1
  /** The rest of a row that is too long is thrown away as it comes. */
  let isSkipping = false

  function read(piece: string, isEnd: boolean): CsvRow[] {
    text += piece
    const rows: CsvRow[] = []
    let nextQuote = finder(text, '"')
    let lineEndAfter = lineEnds(text, isEnd)
    let at = 0
    while (at < text.length) {
      const end = lineEndAfter(at)
      if (isSkipping) {
        if (end === null) return keep(text.length, rows)
        isSkipping = false
        line += 1
        at = end.next
        continue
      }
      const quote = nextQuote(at)
      const isPlain = quote === -1 || (end !== null && quote >= end.at)
      const whole = isPlain ? end && { cells: text.slice(at, end.at).split(delimiter), next: end.next, lines: 1 } : cutQuoted(at)
      if (!whole && text.length - at <= rowLengthMax) return keep(at, rows)
      const cut = whole && whole.next - at <= rowLengthMax ? whole : brokenRow(at, tooLong)
      if (!cut) {
        rows.push({ line, length: rowLengthMax, problem: tooLong })
        isSkipping = true
        continue
      }
      const length = cut.next - at
      if ('problem' in cut) rows.push({ line, length, problem: cut.problem })
      else if (cut.cells.some((cell) => cell.trim() !== '')) rows.push({ line, length, cells: cut.cells })
      line += cut.lines
      at = cut.next
    }
    return keep(at, rows)

    /** Of a row that is broken only its first line is given up: a quote too many may have made one row of thousands. */
    function brokenRow(start: number, problem: string): Cut | null {
      nextQuote = finder(text, '"')
      lineEndAfter = lineEnds(text, isEnd)
      const end = lineEndAfter(start)
      return end && { problem, next: end.next, lines: 1 }
    }

    /** A row with quotes in it. Null: its end has not arrived. */
    function cutQuoted(start: number): Cut | null {
      const cells: string[] = []
      let lines = 1
      for (let at = start; ; at += 1) {
        if (text[at] === '"') {
          const close = closingQuote(at + 1)
          // At the end of a piece nobody knows whether a quote closes, or is the first of two.
          if (!isEnd && (close === -1 || close === text.length - 1)) return null
          if (close === -1) return brokenRow(start, NOT_CLOSED)
          const cell = text.slice(at + 1, close)
          lines += cell.match(LINE_ENDS)?.length ?? 0
          cells.push(cell.replaceAll('""', '"'))
          at = close + 1
          if (!isCellEnd(at)) return brokenRow(start, MISPLACED)
        } else {
          let to = at
          while (!isCellEnd(to)) to += 1
          if (to === text.length && !isEnd) return null
          cells.push(text.slice(at, to))
          at = to
        }
        if (text[at] !== delimiter) {
          const end = lineEndAfter(at)
          return end && { cells, next: end.next, lines }
        }
      }
    }

    function isCellEnd(at: number): boolean {
      const character = text[at]
      return character === undefined || character === delimiter || character === '\n' || character === '\r'
    }
  }

  function keep(from: number, rows: CsvRow[]): CsvRow[] {
    text = text.slice(from)
    return rows
  }

  function closingQuote(from: number): number {
    let at = text.indexOf('"', from)
    while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
    return at
  }

  return { push: (piece) => read(piece, false), end: () => read('', true) }
}

/** `lines`: how many lines of the file the row takes. */
type Cut = { next: number; lines: number } & ({ cells: string[] } | { problem: string })

const LINE_ENDS = /\r\n|\r|\n/g

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
    if (cr !== -1 && (lf === -1 || cr < lf)) {
      if (cr === text.length - 1 && !isEnd) return null
      return { at: cr, next: text[cr + 1] === '\n' ? cr + 2 : cr + 1 }
    }
    if (lf !== -1) return { at: lf, next: lf + 1 }
    return isEnd ? { at: text.length, next: text.length } : null
  }
}

/** `indexOf` for rising positions, which does not look again at what it has passed. */
function finder(text: string, wanted: string): (from: number) => number {
  let found = -2
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf(wanted, from)
    return found
  }
}
