// Cuts the rows that have quotes (RFC 4180, section 2) out of the text of a CSV file that is still arriving.

/** `reach` is how far the text was read. */
export type Cut = { next: number; reach: number } & ({ cells: string[] } | { problem: string })

/** Where a line ends, and where the next one begins. */
export type LineEnd = { at: number; next: number }

/** What has arrived. `isEnd`: nothing more will. */
type Arrived = { text: string; isEnd: boolean }

export type QuotedRows = {
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

export function createQuotedRows({ delimiter, rowLengthMax }: { delimiter: string; rowLengthMax: number }): QuotedRows {
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
export function brokenRow(problem: string, { next }: LineEnd, reach = next): Cut {
  return { problem, next, reach: Math.max(next, reach) }
}

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text.charAt(at + 1) === '"') at = text.indexOf('"', at + 2)
  return at
}

/** Where the next line begins, if a line ends here. */
export function lineEndAt(text: string, at: number, isEnd: boolean): number | null {
  if (at === text.length) return isEnd ? at : null
  if (text.charAt(at) === '\n') return at + 1
  if (at === text.length - 1 && !isEnd) return null
  return text.charAt(at + 1) === '\n' ? at + 2 : at + 1
}
