/** One line of the result: what was measured, what it is compared with, and its target. */
export type Row = {
  what: string
  /** The number with its unit. */
  result: string
  /** Milliseconds; absent where there is nothing to wait for. */
  p50?: number
  p99?: number
  /** The mean of the measured thing against this row, or what else the row says that it is. */
  ratio?: number
  /** In words, and whether it was reached. */
  wanted?: { words: string; isMet: boolean }
}

export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`
export const microseconds = (value: number): string => `${Math.round(value)} µs`
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024).toLocaleString('en')} MB`
export const percent = (share: number): string => `${share >= 0 ? '+' : ''}${(share * 100).toFixed(1)} %`

export const atLeast = (value: number, bound: number, words = `at least ${bound.toLocaleString('en')}`) => ({
  words,
  isMet: value >= bound,
})
export const atMost = (value: number, bound: number, words = `at most ${bound.toLocaleString('en')}`) => ({ words, isMet: value <= bound })

export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The value below which so large a share of them lies. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Rows under a heading, in columns. */
export function table(rows: Row[]): string {
  const cells = [
    ['', 'result', 'p50 ms', 'p99 ms', 'ratio', 'wanted', ''],
    ...rows.map(({ what, result, p50, p99, ratio, wanted }) => [
      what,
      result,
      p50 === undefined ? '' : p50.toFixed(1),
      p99 === undefined ? '' : p99.toFixed(1),
      ratio === undefined ? '' : ratio.toFixed(2),
      wanted?.words ?? '',
      wanted === undefined ? '' : wanted.isMet ? 'met' : 'NOT MET',
    ]),
  ]
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => (WORDS.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Columns of words stand to the left, columns of figures to the right. */
const WORDS = new Set([0, 5, 6])
